// SPDX-License-Identifier: MIT

package import OppiModel

/// A turn as JSON Lines for programs.
///
/// Fields are only ever added.
package enum ActivityJSON {
  /// The lines that there are and the fields of each, beside `type`, `at` and `sessionId`.
  package static let fields: [(type: String, fields: [String])] = [
    ("turn-started", []),
    ("thinking", ["text"]),
    ("tool-planned", ["callId", "tool", "arguments"]),
    ("approval-requested", ["id", "callId", "tool", "summary", "reason", "expiresAt"]),
    ("approval-resolved", ["id", "outcome"]),
    ("tool-started", ["callId", "tool", "arguments"]),
    ("tool-output", ["callId", "text", "replaces"]),
    (
      "tool-finished",
      [
        "callId", "tool", "state", "reason", "durationMs", "totalBytes", "images", "addedLines",
        "removedLines", "details",
      ]
    ),
    ("text", ["text", "complete"]),
    ("question", ["id", "method", "body"]),
    ("notice", ["message", "child"]),
    ("turn-finished", ["outcome", "answer", "error"]),
    ("session-ended", ["reason"]),
  ]

  /// Returns a change as objects, one a line; none where another change says the same.
  package static func lines(
    for change: ActivityChange,
    sessionID: String,
    at now: Timestamp
  ) -> [JSONValue] {
    guard let (type, fields) = line(for: change) else { return [] }
    let common: [String: JSONValue?] = [
      "type": .string(type), "at": .string(now.iso8601), "sessionId": .string(sessionID),
    ]
    return [.members(fields.merging(common) { $1 })]
  }

  private typealias Line = (type: String, fields: [String: JSONValue?])

  private static func line(for change: ActivityChange) -> Line? {
    switch change {
    case .turnStarted: ("turn-started", [:])
    case .thinking(let text): ("thinking", ["text": .string(text)])
    case .toolPlanned(let call): ("tool-planned", start(of: call))
    case .approvalRequested(let request, let callID):
      ("approval-requested", fields(request, callID))
    case .approvalResolved(let id, let outcome):
      ("approval-resolved", ["id": .string(id), "outcome": .string(outcome.rawValue)])
    case .toolStarted(let call): ("tool-started", start(of: call))
    case .toolOutput(let id, let text, let replaces):
      (
        "tool-output",
        ["callId": .string(id), "text": .string(text), "replaces": .bool(replaces)]
      )
    case .toolFinished(let call): ("tool-finished", end(of: call))
    case .text(let text): ("text", ["text": .string(text), "complete": false])
    // The whole message follows at once.
    case .textReplaced: nil
    case .textFinished(let text): ("text", ["text": .string(text), "complete": true])
    case .question(let question):
      (
        "question",
        [
          "id": .string(question.id), "method": .string(question.method), "body": question.body,
        ]
      )
    case .notice(let text): ("notice", ["message": .string(text)])
    case .child(let child): ("notice", fields(child))
    case .turnFinished(let outcome): ("turn-finished", fields(outcome))
    case .sessionEnded(let reason): ("session-ended", ["reason": reason.map(JSONValue.string)])
    }
  }

  // MARK: - Fields

  private static func start(of call: ToolCallActivity) -> [String: JSONValue?] {
    ["callId": .string(call.id), "tool": .string(call.tool), "arguments": call.arguments]
  }

  private static func end(of call: ToolCallActivity) -> [String: JSONValue?] {
    [
      "callId": .string(call.id),
      "tool": .string(call.tool),
      "state": .string(word(call.state)),
      "reason": reason(call.state).map(JSONValue.string),
      "durationMs": call.duration.map { .integer(Int64($0 / .milliseconds(1))) },
      "totalBytes": .integer(Int64(call.output.totalBytes)),
      "images": .integer(Int64(call.imageCount)),
      "addedLines": call.lineChange.map { .integer(Int64($0.added)) },
      "removedLines": call.lineChange.map { .integer(Int64($0.removed)) },
      "details": call.details == .null ? nil : call.details,
    ]
  }

  private static func word(_ state: ToolCallState) -> String {
    switch state {
    case .planned: "planned"
    case .waitingApproval: "waiting"
    case .running: "running"
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .rejected: "rejected"
    }
  }

  private static func reason(_ state: ToolCallState) -> String? {
    guard case .rejected(let reason) = state else { return nil }
    return reason
  }

  private static func fields(
    _ request: PermissionRequest,
    _ callID: String?
  ) -> [String: JSONValue?] {
    [
      "id": .string(request.id),
      "callId": callID.map(JSONValue.string),
      "tool": .string(request.tool),
      "summary": .string(request.summary),
      "reason": request.reason.map(JSONValue.string),
      "expiresAt": request.timeoutAt.map { .string($0.iso8601) },
    ]
  }

  private static func fields(_ child: ChildSession) -> [String: JSONValue?] {
    let word = StatusMark(child.status).word
    return [
      "message": .string("agent \(child.name ?? child.id): \(word)"),
      "child": .members([
        "id": .string(child.id),
        "name": child.name.map(JSONValue.string),
        "status": .string(word),
      ]),
    ]
  }

  private static func fields(_ outcome: TurnOutcome) -> [String: JSONValue?] {
    switch outcome {
    case .succeeded(let answer): ["outcome": "finished", "answer": .string(answer)]
    case .empty: ["outcome": "empty"]
    case .failed(let error): ["outcome": "failed", "error": .string(error)]
    case .stopped: ["outcome": "stopped"]
    case .ended(let reason): ["outcome": "ended", "error": reason.map(JSONValue.string)]
    }
  }
}
