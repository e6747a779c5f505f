// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// What was decided on tool calls, the earliest first.
struct AuditLog {
  /// More than any list shows.
  private static let capacity = 1000

  private var entries: [JSONValue] = []

  /// Records a decision.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - session: Whose call it is.
  ///   - isAllowed: Whether it may run.
  ///   - resolver: `policy`, `user` or `timeout`.
  ///   - choice: The user's word.
  ///   - loop: The clock, and the source of ids.
  mutating func record(
    _ call: ScriptedCall,
    of session: (id: String, workspaceID: String),
    isAllowed: Bool,
    by resolver: String,
    choice: JSONValue? = nil,
    on loop: EventLoop
  ) {
    let decision = isAllowed ? "allow" : "deny"
    entries.append(
      .object([
        "id": .string(loop.makeID(.long)),
        "timestamp": loop.timestamp.json,
        "sessionId": .string(session.id),
        "workspaceId": .string(session.workspaceID),
        "tool": .string(call.tool),
        "displaySummary": .string(call.summary),
        "decision": .string(decision),
        "resolvedBy": .string(resolver),
        "layer": resolver == "policy" ? "default" : "user_response",
        "userChoice": choice,
      ])
    )
    if entries.count > Self.capacity { entries.removeFirst() }
  }

  /// The latest entries, the latest first, of one session where it is given.
  func latest(_ count: Int, ofSession id: String?) -> [JSONValue] {
    let all = id.map { id in entries.filter { $0["sessionId"].string == id } } ?? entries
    return all.suffix(count).reversed()
  }
}
