// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// Formats changes and states for snapshots, one line each.
enum ActivityDescription {
  static func text(of replay: Replay) -> String {
    let start = replay.steps.first?.time.milliseconds ?? 0
    let changes = merged(replay.steps).map { step in
      let time = String(step.time.milliseconds - start)
      return "\(String(repeating: " ", count: max(0, 7 - time.count)))\(time)  \(line(step.change))"
    }
    return
      (["changes"] + changes + ["activity"] + lines(replay.reducer.activity)
      + ["  sequence \(replay.reducer.counter.last)"]).joined(separator: "\n") + "\n"
  }

  /// Joins consecutive pieces of the same text.
  private static func merged(_ steps: [Replay.Step]) -> [Replay.Step] {
    steps.reduce(into: []) { merged, step in
      let joined: ActivityChange? =
        switch (merged.last?.change, step.change) {
        case (.text(let a), .text(let b)): .text(a + b)
        case (.thinking(let a), .thinking(let b)): .thinking(a + b)
        case (.toolOutput(let a, let x, false), .toolOutput(let b, let y, false)) where a == b:
          .toolOutput(callID: a, text: x + y, replaces: false)
        default: nil
        }
      if let joined {
        merged[merged.count - 1].change = joined
      } else {
        merged.append(step)
      }
    }
  }

  static func line(_ change: ActivityChange) -> String {
    switch change {
    case .turnStarted(let isOwn): "\(isOwn ? "own " : "")turn started"
    case .thinking(let text): "thinking \(quoted(text))"
    case .toolPlanned(let call): "planned \(line(call))"
    case .approvalRequested(let request, let id):
      "approval \(request.id) requested for \(id ?? "no call"): \(quoted(request.summary))"
    case .approvalResolved(let id, let outcome): "approval \(id) \(outcome)"
    case .toolStarted(let call): "started \(line(call))"
    case .toolOutput(let id, let text, let replaces):
      "output of \(id) \(replaces ? "is" : "+") \(quoted(text))"
    case .toolFinished(let call): "finished \(line(call))"
    case .text(let text): "text \(quoted(text))"
    case .textReplaced(let text): "text is \(quoted(text))"
    case .textFinished(let text): "text complete \(quoted(text))"
    case .questionSettled(let id): "question \(id) settled"
    case .question(let question): "question \(question.method)"
    case .notice(let text): "notice \(quoted(text))"
    case .child(let child): "child \(child.id) \(child.name ?? "") \(child.status)"
    case .turnFinished(let outcome, let isOwn):
      "\(isOwn ? "own " : "")turn finished: \(outcome)"
    case .queueDropped(let messages):
      "queue dropped: \(messages.map { "\($0.id) \(quoted($0.text))" }.joined(separator: ", "))"
    case .queueLost(let messages):
      "queue lost: \(messages.map { "\($0.id) \(quoted($0.text))" }.joined(separator: ", "))"
    case .statusChanged(let key, let text): "status \(key): \(text ?? "")"
    case .sessionEnded(let reason): "session ended: \(reason ?? "")"
    }
  }

  private static func lines(_ activity: Turn) -> [String] {
    var lines = [
      "status \(activity.outcome.map { "finished: \($0)" } ?? "\(activity.status)")",
      "text \(quoted(activity.text))",
    ]
    lines.append("thought \(quoted(activity.thinking.text))")
    lines += activity.toolCalls.map { "call \(line($0))" }
    lines += activity.questions.map { "question \($0.method)" }
    lines += activity.children.map { "child \($0.id) \($0.name ?? "") \($0.status)" }
    lines += activity.queue.map { "queued \($0.id) \($0.kind) \(quoted($0.text))" }
    lines += activity.statuses.map { "status \($0.key): \($0.text)" }
    if let start = activity.startedAt, let end = activity.endedAt {
      lines.append("took \(end.milliseconds - start.milliseconds) ms")
    }
    return lines.map { "  \($0)" }
  }

  private static func line(_ call: ToolCallActivity) -> String {
    var parts = ["\(call.id) \(call.tool) \(quoted(call.arguments.text())) \(word(call.state))"]
    if call.output.totalBytes > 0 {
      let lines = call.output.totalLines.map { "\($0)" } ?? "?"
      parts.append("\(call.output.totalBytes) bytes, \(lines) lines")
    }
    if let change = call.lineChange { parts.append("+\(change.added) -\(change.removed)") }
    if call.imageCount > 0 { parts.append("\(call.imageCount) images") }
    if let duration = call.duration { parts.append("\(duration / .milliseconds(1)) ms") }
    return parts.joined(separator: "; ")
  }

  private static func word(_ state: ToolCallState) -> String {
    if case .waitingApproval(let request) = state { return "waits for \(request.id)" }
    return "\(state)"
  }

  private static func quoted(_ text: String) -> String {
    let text = text.utf8.count > 200 ? text.head(bytes: 200) + "…" : text
    return JSONValue.string(text).text()
  }
}

extension JSONValue {
  static func prompt(_ text: String) -> JSONValue {
    ["type": "user", "text": .string(text)]
  }

  static func answer(_ text: String) -> JSONValue {
    ["type": "assistant", "text": .string(text)]
  }

  static let bashCall: JSONValue = [
    "type": "toolCall", "id": "t", "tool": "bash", "args": ["command": "ls"],
  ]

  static let bashResult: JSONValue = [
    "type": "toolResult", "toolCallId": "t", "toolName": "bash", "output": "a\n", "isError": false,
  ]
}

extension Conversation {
  mutating func load(
    _ trace: [JSONValue],
    _ status: String,
    isAgentLost: Bool = false
  ) throws -> [ActivityChange] {
    reducer.load(
      trace: .array(trace),
      session: try .s1(status),
      isAgentLost: isAgentLost,
      at: now
    )
  }
}

extension Session {
  /// The session of a conversation.
  static func s1(_ status: String) throws -> Session {
    try #require(Session(json: ["id": "s1", "status": .string(status)]))
  }
}

extension ActivityChange {
  var isTurn: Bool {
    switch self {
    case .turnStarted, .turnFinished: true
    default: false
    }
  }
}
