// SPDX-License-Identifier: MIT

@testable import OppiModel

/// A reducer that is told one thing a second.
struct Conversation {
  var reducer = ActivityReducer(sessionID: "s1")
  private(set) var now = Timestamp(seconds: 0)
  private var sequence = 0

  var activity: TurnActivity { reducer.activity }

  /// Tells the reducer what happens and returns what changes.
  @discardableResult
  mutating func tell(_ kinds: ServerMessage.Kind...) -> [ActivityChange] {
    kinds.flatMap { kind in
      now.milliseconds += 1000
      let message = ServerMessage(kind, sessionID: "s1", sequence: nextSequence(for: kind))
      return reducer.apply(message, at: now)
    }
  }

  /// Lets the grace after a run pass.
  @discardableResult
  mutating func settle() -> [ActivityChange] {
    now.milliseconds += 1000
    return reducer.settle(at: now)
  }

  /// Begins a turn with a prompt.
  mutating func begin() {
    tell(.agentStart, .messageEnd(role: .user, text: "go"))
  }

  /// Hands a prompt over.
  mutating func handOver(
    _ prompt: String,
    id: String = "1",
    queued: Bool = false
  ) -> [ActivityChange] {
    reducer.begin(clientTurnID: id, prompt: prompt, isQueued: queued, at: now)
  }

  private mutating func nextSequence(for kind: ServerMessage.Kind) -> Int? {
    switch kind {
    case .agentStart, .agentEnd, .messageEnd, .toolStart, .toolEnd, .stopRequested, .stopConfirmed,
      .stopFailed, .sessionEnded, .sessionDeleted, .error:
      sequence += 1
      return sequence
    default: return nil
    }
  }
}

extension ServerMessage.Kind {
  static func says(_ text: String) -> Self { .messageEnd(role: .assistant, text: text) }

  static func hears(_ text: String) -> Self { .messageEnd(role: .user, text: text) }

  static func fails(_ text: String) -> Self { .error(message: text, code: nil, isFatal: false) }

  static func calls(
    _ id: String?,
    _ tool: String = "bash",
    _ arguments: JSONValue = ["command": "ls"]
  ) -> Self {
    .toolStart(ToolCall(id: id, tool: tool, arguments: arguments))
  }

  static func prints(_ id: String?, _ text: String, replaces: Bool = false, of: Int? = nil) -> Self
  {
    .toolOutput(
      ToolOutput(
        callID: id,
        text: text,
        replaces: replaces,
        isError: false,
        isTruncated: of != nil,
        totalBytes: of
      )
    )
  }

  static func returns(
    _ id: String?,
    _ tool: String = "bash",
    isError: Bool = false,
    details: JSONValue = .null
  ) -> Self {
    .toolEnd(callID: id, tool: tool, isError: isError, details: details)
  }

  static func asks(
    _ id: String,
    _ tool: String = "bash",
    _ input: JSONValue = ["command": "ls"]
  ) -> Self {
    .permissionRequest(
      PermissionRequest(
        id: id,
        sessionID: "s1",
        workspaceID: nil,
        tool: tool,
        input: input,
        summary: "ls",
        reason: "Listing",
        timeoutAt: Timestamp(seconds: 120)
      )
    )
  }
}
