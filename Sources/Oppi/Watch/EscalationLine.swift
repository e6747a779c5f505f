// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// What 'oppi watch' tells of a request that stays pending: to the user's command, and in its output.
struct EscalationLine {
  let row: ListedRequest
  let at: Timestamp
  /// Whether contents of the request are left out.
  let isPrivate: Bool

  /// The members that are no contents of a request or of its session.
  private static let publicMembers: Set = [
    "id", "kind", "risk", "isWhole", "sessionId", "server", "expiresAt", "secondsLeft",
  ]

  /// The object that the command gets.
  func request(pendingSince begin: Timestamp) -> JSONValue {
    let members = ListedRequest.shape.document(of: row).object ?? [:]
    let shown = isPrivate ? members.filter { Self.publicMembers.contains($0.key) } : Array(members)
    return .object(
      JSONObject([
        ("type", "request"), ("at", .string(at.iso8601)),
        ("pendingSince", .string(begin.iso8601)),
      ])
      .adding(JSONObject(shown))
    )
  }

  func text(isSent: Bool) -> StyledText {
    let words = isSent ? "passed to notify.escalate" : "not passed: notify.escalate failed"
    return StyledText(isPrivate ? words : "\(words): \(row.approval.call)", .warning)
  }

  func document(isSent: Bool) -> JSONValue {
    .object([
      "type": "escalation", "at": .string(at.iso8601), "requestId": .string(row.request.id),
      "state": isSent ? "passed" : "failed", "text": .string(text(isSent: isSent).plain),
    ])
  }

  /// The object about a denial; `title` says what happened.
  func document(denied state: String, _ title: String) -> JSONValue {
    .object([
      "type": "decision", "at": .string(at.iso8601), "requestId": .string(row.request.id),
      "state": .string(state), "rule": "notify.deny-after", "text": .string(title),
    ])
  }
}
