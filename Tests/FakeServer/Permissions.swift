// SPDX-License-Identifier: MIT

import OppiHost
import OppiText

/// A call that waits for approval.
struct PendingPermission: Sendable {
  enum Decision: Sendable, Equatable {
    case allowed
    /// The reason that the agent receives.
    case denied(String)
  }

  let id: String
  let sessionID: String
  let workspaceID: String
  let call: AgentCall
  let timeoutAt: Timestamp
  let expires: Bool
  let decision = Promise<Decision>()

  private var common: JSONObject {
    [
      "id": .string(id),
      "sessionId": .string(sessionID),
      "tool": .string(call.tool),
      "input": call.arguments,
      "displaySummary": .string(call.summary),
      "reason": .string(call.approvalReason ?? ""),
      "timeoutAt": timeoutAt.json,
      "expires": .bool(expires),
    ]
  }

  /// The form for streams.
  var request: JSONValue { JSONValue.object(common).adding(["type": "permission_request"]) }

  /// The form for the REST list.
  var entry: JSONValue { JSONValue.object(common).adding(["workspaceId": .string(workspaceID)]) }
}

/// The pending requests for approval, and the commands that no longer need it.
struct PermissionDesk: Sendable {
  /// A command that no longer needs approval.
  private struct Rule: Sendable {
    let id: String
    let command: String
    /// `nil` for all sessions.
    let sessionID: String?

    var json: JSONValue {
      .object([
        "id": .string(id), "tool": "bash", "decision": "allow", "source": "learned",
        "scope": sessionID == nil ? "global" : "session",
        "sessionId": sessionID.map(JSONValue.string),
        "label": .string("Allow \(command)"), "pattern": .string(command),
      ])
    }
  }

  private var waiting: [String: PendingPermission] = [:]
  private var learned: [Rule] = []
  /// The number of rules so far.
  private var count = 0

  init(approvedCommands: Set<String>) {
    for command in approvedCommands.sorted() { learn(command, in: nil) }
  }

  /// Commands that no longer need approval in any session.
  var approvedCommands: Set<String> {
    Set(learned.filter { $0.sessionID == nil }.map(\.command))
  }

  /// The rules as the server lists them.
  var rules: [JSONValue] { learned.map(\.json) }

  private mutating func learn(_ command: String, in sessionID: String?) {
    count += 1
    learned.append(Rule(id: "rule-\(count)", command: command, sessionID: sessionID))
  }

  /// Removes a rule; returns false if there is none with the id.
  mutating func removeRule(_ id: String) -> Bool {
    let before = learned.count
    learned.removeAll { $0.id == id }
    return learned.count < before
  }

  /// The pending requests, by ID.
  var all: [PendingPermission] { waiting.sorted { $0.key < $1.key }.map(\.value) }

  func asks(for call: AgentCall, in sessionID: String) -> Bool {
    call.approvalReason != nil
      && !learned.contains { rule in
        rule.command == call.summary && (rule.sessionID ?? sessionID) == sessionID
      }
  }

  mutating func add(_ permission: PendingPermission) {
    waiting[permission.id] = permission
  }

  /// Removes a request that no longer needs a decision; returns false if it was already gone.
  @discardableResult
  mutating func withdraw(_ permission: PendingPermission) -> Bool {
    waiting.removeValue(forKey: permission.id) != nil
  }

  /// Decides a request and returns it; `nil` if no such request is pending.
  mutating func decide(_ id: String, isAllowed: Bool, scope: String) -> PendingPermission? {
    guard let permission = waiting.removeValue(forKey: id) else { return nil }
    if isAllowed, scope != "once" {
      learn(permission.call.summary, in: scope == "session" ? permission.sessionID : nil)
    }
    permission.decision.keep(isAllowed ? .allowed : .denied("Denied by user"))
    return permission
  }
}
