// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiText
package import OppiWire

/// A reducer that receives one message per second.
package struct Conversation {
  package var reducer = ActivityReducer(sessionID: "s1")
  package private(set) var now = Timestamp(seconds: 0)
  private var sequence = 0

  package init() {}

  package var activity: Turn { reducer.activity }

  /// Applies messages and returns the changes.
  @discardableResult
  package mutating func tell(_ kinds: ServerMessage.Kind...) -> [ActivityChange] {
    kinds.flatMap { kind in
      now = Timestamp(milliseconds: now.milliseconds + 1000)
      let message = ServerMessage(kind, sessionID: "s1", sequence: nextSequence(for: kind))
      return reducer.apply(message, at: now)
    }
  }

  /// Ends the grace period after a run.
  @discardableResult
  package mutating func settle() -> [ActivityChange] {
    now = Timestamp(milliseconds: now.milliseconds + 1000)
    return reducer.settle()
  }

  /// Ends a run after the messages, and the grace period after it; returns the changes of its end.
  package mutating func finish(_ kinds: ServerMessage.Kind...) -> [ActivityChange] {
    for kind in kinds + [.agentEnd] { tell(kind) }
    return settle()
  }

  /// Starts a turn with a prompt.
  package mutating func begin() {
    tell(.agentStart, .messageEnd(role: .user, text: "go"))
  }

  /// Records a prompt of this client.
  package mutating func handOver(
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

extension ActivityChange {
  /// The end of a turn with an answer.
  package static func done(_ answer: String, own: Bool = false) -> Self {
    .ended(.succeeded(answer: answer), own: own)
  }

  /// The end of a turn; by default not one of this program.
  package static func ended(_ outcome: TurnOutcome, own: Bool = false) -> Self {
    .turnFinished(outcome, isOwn: own)
  }
}

extension ServerMessage.Kind {
  package static func says(_ text: String) -> Self { .messageEnd(role: .assistant, text: text) }

  package static func hears(_ text: String) -> Self { .messageEnd(role: .user, text: text) }

  package static func fails(_ text: String) -> Self {
    .error(message: text, code: nil, isFatal: false)
  }

  package static func calls(
    _ id: String?,
    _ tool: String = "bash",
    _ arguments: JSONValue = ["command": "ls"]
  ) -> Self {
    wire(["type": "tool_start", "toolCallId": .text(id), "tool": .string(tool), "args": arguments])
  }

  package static func prints(
    _ id: String?,
    _ text: String,
    replaces: Bool = false,
    of size: Int? = nil
  ) -> Self {
    wire([
      "type": "tool_output", "toolCallId": .text(id), "output": .string(text),
      "mode": replaces ? "replace" : "append", "truncated": .bool(size != nil),
      "totalBytes": size.map { .integer(Int64($0)) } ?? .null,
    ])
  }

  package static func returns(
    _ id: String?,
    _ tool: String = "bash",
    isError: Bool = false,
    details: JSONValue = .null
  ) -> Self {
    .toolEnd(callID: id, tool: tool, isError: isError, details: details)
  }

  package static func asks(
    _ id: String,
    _ tool: String = "bash",
    _ input: JSONValue = ["command": "ls"]
  ) -> Self {
    wire([
      "type": "permission_request", "id": .string(id), "sessionId": "s1", "tool": .string(tool),
      "input": input, "displaySummary": "ls", "reason": "Listing", "timeoutAt": 120_000,
    ])
  }

  /// A message in the server's JSON format.
  private static func wire(_ json: JSONValue) -> Self {
    ServerMessage(json: json)?.kind ?? .unknown(type: "")
  }
}

extension JSONValue {
  fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
