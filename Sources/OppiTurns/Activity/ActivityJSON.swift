// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
package import OppiText
import OppiWire

/// A turn as JSON Lines.
///
/// New versions only add fields.
package enum ActivityJSON {
  /// The types of lines with their fields.
  ///
  /// Every line also has `type`, `at` and `sessionId`, and `past` if the event was over when it
  /// became known.
  package static let fields: [(type: String, fields: [String])] = [
    ("turn-started", ["own"]),
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
    ("question-settled", ["id"]),
    ("notice", ["message", "child", "status"]),
    ("queue-dropped", ["messages"]),
    ("queue-lost", ["messages"]),
    ("turn-finished", ["outcome", "answer", "error", "own"]),
    ("session-ended", ["reason"]),
  ]

  /// Returns a change as objects, one per line; empty if another change has the same contents.
  ///
  /// If `isPast`, the change was loaded with the trace. The end of a turn is news even then.
  package static func lines(
    for change: ActivityChange,
    sessionID: String,
    at now: Timestamp,
    isPast: Bool = false
  ) -> [JSONValue] {
    line(for: change)
      .map { [line($0, sessionID, at: now, isPast: isPast && !change.isNewsEvenLate)] } ?? []
  }

  /// Returns the line of a turn that had already ended.
  package static func pastTurn(
    _ outcome: TurnOutcome,
    sessionID: String,
    at end: Timestamp
  ) -> JSONValue {
    line(("turn-finished", fields(outcome)), sessionID, at: end, isPast: true)
  }

  private typealias Line = (type: String, fields: JSONObject)

  private static func line(
    _ line: Line,
    _ sessionID: String,
    at moment: Timestamp,
    isPast: Bool
  ) -> JSONValue {
    let common: JSONObject = [
      "type": .string(line.type), "at": .string(moment.iso8601), "sessionId": .string(sessionID),
      "past": isPast ? true : nil,
    ]
    return .object(line.fields.adding(common))
  }

  private static func line(for change: ActivityChange) -> Line? {
    switch change {
    case .turnStarted(let isOwn): ("turn-started", ["own": isOwn ? true : nil])
    case .thinking(let text): ("thinking", ["text": .string(text)])
    case .toolPlanned(let call): ("tool-planned", start(of: call))
    case .approvalRequested(let request, let callID):
      ("approval-requested", fields(request, callID))
    case .approvalResolved(let id, let outcome):
      ("approval-resolved", ["id": .string(id), "outcome": .string(outcome.rawValue)])
    case .toolStarted(let call): ("tool-started", start(of: call))
    case .toolOutput(let id, let text, let replaces):
      ("tool-output", ["callId": .string(id), "text": .string(text), "replaces": .bool(replaces)])
    case .toolFinished(let call): ("tool-finished", end(of: call))
    case .text(let text): ("text", ["text": .string(text), "complete": false])
    // The whole message follows immediately.
    case .textReplaced: nil
    case .textFinished(let text): ("text", ["text": .string(text), "complete": true])
    case .question(let question):
      (
        "question",
        ["id": .string(question.id), "method": .string(question.method), "body": question.body]
      )
    case .questionSettled(let id): ("question-settled", ["id": .string(id)])
    case .notice(let text): ("notice", ["message": .string(text)])
    case .statusChanged(let key, let text): ("notice", status(key, text))
    case .child(let child): ("notice", fields(child))
    case .queueDropped(let messages): ("queue-dropped", queued(messages))
    case .queueLost(let messages): ("queue-lost", queued(messages))
    case .turnFinished(let outcome, let isOwn):
      ("turn-finished", fields(outcome).adding(["own": isOwn ? true : nil]))
    case .sessionEnded(let reason): ("session-ended", ["reason": reason.map(JSONValue.string)])
    }
  }

  // MARK: - Fields

  private static func start(of call: ToolCallActivity) -> JSONObject {
    ["callId": .string(call.id), "tool": .string(call.tool), "arguments": call.arguments]
  }

  private static func end(of call: ToolCallActivity) -> JSONObject {
    [
      "callId": .string(call.id),
      "tool": .string(call.tool),
      "state": .string(word(call.state)),
      "reason": call.rejection.map(JSONValue.string),
      "durationMs": call.duration.map { .integer(Int64($0.milliseconds)) },
      "totalBytes": .integer(Int64(call.output.totalBytes)),
      "images": .integer(Int64(call.imageCount)),
      "addedLines": call.lineChange.map { .integer(Int64($0.added)) },
      "removedLines": call.lineChange.map { .integer(Int64($0.removed)) },
      "details": call.details == .null ? nil : call.details,
    ]
  }

  /// Returns the name of a call's state in JSON.
  package static func word(_ state: ToolCallState) -> String {
    switch state {
    case .planned: "planned"
    case .waitingApproval, .waiting: SessionPhase.waiting.word
    case .running: "running"
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .rejected: "rejected"
    case .unfinished: "unfinished"
    }
  }

  private static func fields(
    _ request: PermissionRequest,
    _ callID: String?
  ) -> JSONObject {
    [
      "id": .string(request.id),
      "callId": callID.map(JSONValue.string),
      "tool": .string(request.tool),
      "summary": .string(request.summary),
      "reason": request.reason.map(JSONValue.string),
      "expiresAt": request.timeoutAt.map { .string($0.iso8601) },
    ]
  }

  private static func fields(_ child: ChildSession) -> JSONObject {
    let word = StatusMark(child.status).word
    return [
      "message": .string("agent \(child.name ?? child.id): \(word)"),
      "child": .object([
        "id": .string(child.id),
        "name": child.name.map(JSONValue.string),
        // The value of earlier versions.
        "status": .string(child.status == .ready ? "ready" : word),
      ]),
    ]
  }

  private static func status(_ key: String, _ text: String?) -> JSONObject {
    [
      "message": .string("\(key): \(text ?? "cleared")"),
      "status": .object(["key": .string(key), "text": text.map(JSONValue.string)]),
    ]
  }

  private static func queued(_ messages: [QueuedMessage]) -> JSONObject {
    let rows = messages.map { message -> JSONValue in
      [
        "id": .string(message.id), "kind": message.kind == .steer ? "steer" : "follow-up",
        "message": .string(message.text),
      ]
    }
    return ["messages": .array(rows)]
  }

  private static func fields(_ outcome: TurnOutcome) -> JSONObject {
    [
      "outcome": .string(outcome.word), "answer": outcome.answer.map(JSONValue.string),
      "error": error(of: outcome).map(JSONValue.string),
    ]
  }

  /// Returns the reason why a turn has no answer; `nil` if there is none.
  package static func error(of outcome: TurnOutcome) -> String? {
    outcome == .dropped ? "a stop cleared the queue before the turn started" : outcome.reason
  }
}
