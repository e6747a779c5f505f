// SPDX-License-Identifier: MIT

import EventLoop
import OppiHost
import OppiModel

/// The decisions on tool calls, oldest first.
struct AuditLog: Sendable {
  /// Exceeds the limit of any list.
  private static let capacity = 1000

  private var entries: [JSONValue] = []

  /// Records a decision; `resolver` is `policy`, `user` or `timeout`.
  mutating func record(
    _ call: AgentCall,
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

  /// Returns the latest entries, newest first, optionally of one session.
  func latest(_ count: Int, ofSession id: String?) -> [JSONValue] {
    let all = id.map { id in entries.filter { $0["sessionId"].string == id } } ?? entries
    return all.suffix(count).reversed()
  }
}
