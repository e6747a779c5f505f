// SPDX-License-Identifier: MIT

import OppiModel

/// The pending requests for approval, and the commands that no longer need it.
struct PermissionDesk {
  private var waiting: [String: PendingPermission] = [:]
  /// Commands that no longer need approval in any session.
  private(set) var approvedCommands: Set<String>
  /// Commands that no longer need approval in one session, by session ID.
  private var approvedInSession: [String: Set<String>] = [:]

  init(approvedCommands: Set<String>) {
    self.approvedCommands = approvedCommands
  }

  /// The pending requests, by ID.
  var all: [PendingPermission] { waiting.sorted { $0.key < $1.key }.map(\.value) }

  func all(of session: LiveSession) -> [PendingPermission] {
    all.filter { $0.sessionID == session.id }
  }

  func asks(for call: ScriptedCall, in session: LiveSession) -> Bool {
    call.approvalReason != nil && !approvedCommands.contains(call.summary)
      && approvedInSession[session.id]?.contains(call.summary) != true
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
    if isAllowed {
      switch scope {
      case "once": break
      case "session":
        approvedInSession[permission.sessionID, default: []].insert(permission.call.summary)
      default: approvedCommands.insert(permission.call.summary)
      }
    }
    permission.decision.keep(isAllowed ? .allowed : .denied("Denied by user"))
    return permission
  }
}
