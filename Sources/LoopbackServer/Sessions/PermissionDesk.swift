// SPDX-License-Identifier: MIT

import OppiModel

/// The tool calls that wait for a human, and those that need none any more.
struct PermissionDesk {
  private var waiting: [String: PendingPermission] = [:]
  /// Commands that need no approval any more, in any session.
  private(set) var approvedCommands: Set<String>
  /// Commands that need no approval any more in one session, by its id.
  private var approvedInSession: [String: Set<String>] = [:]

  init(approvedCommands: Set<String>) {
    self.approvedCommands = approvedCommands
  }

  /// What waits, by the ids of the requests.
  var all: [PendingPermission] { waiting.sorted { $0.key < $1.key }.map(\.value) }

  func all(of session: LiveSession) -> [PendingPermission] {
    all.filter { $0.sessionID == session.id }
  }

  /// Whether a human has to be asked before the call may run.
  func asks(for call: ScriptedCall, in session: LiveSession) -> Bool {
    call.approvalReason != nil && !approvedCommands.contains(call.summary)
      && approvedInSession[session.id]?.contains(call.summary) != true
  }

  mutating func add(_ permission: PendingPermission) {
    waiting[permission.id] = permission
  }

  /// Takes a request away that nobody needs to decide any more; false where it was gone.
  @discardableResult
  mutating func withdraw(_ permission: PendingPermission) -> Bool {
    waiting.removeValue(forKey: permission.id) != nil
  }

  /// Decides a request, and returns it; `nil` where nothing waits under the id.
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
