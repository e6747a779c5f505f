// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

extension Sessions {
  /// Roughly a hundred years: the deadline of what has none.
  private static let never = Duration.seconds(100 * 365 * 86_400)

  /// What waits for a human, in the form of the REST list.
  var pendingPermissions: [JSONValue] {
    orderedPermissions.sorted { $0.timeoutAt < $1.timeoutAt }.map(\.entry)
  }

  func pendingPermissions(of session: LiveSession) -> [PendingPermission] {
    orderedPermissions.filter { $0.sessionID == session.id }
  }

  /// Asks every open stream whether a call may run, and waits for the first answer.
  func decision(on call: ScriptedCall, in session: LiveSession) async -> PendingPermission.Decision
  {
    let timeout = configuration.approvalTimeout
    let permission = PendingPermission(
      id: loop.makeID(.long),
      sessionID: session.id,
      workspaceID: session.workspace.id,
      call: call,
      timeoutAt: Timestamp(
        milliseconds: loop.timestamp.milliseconds + (timeout ?? Self.never).milliseconds
      ),
      expires: timeout != nil
    )
    permissions[permission.id] = permission
    push(permission.request)
    defer { permissions[permission.id] = nil }
    return await decision(on: permission, within: timeout)
  }

  private func decision(
    on permission: PendingPermission,
    within timeout: Duration?
  ) async -> PendingPermission.Decision {
    let decision = permission.decision
    guard let timeout else { return await decision.value() ?? .denied("Session ended") }
    if let decision = await wait(for: decision, atMost: timeout) { return decision }
    // It may have been decided in the same moment.
    guard !Task.isCancelled, permissions.removeValue(forKey: permission.id) != nil else {
      return await decision.value() ?? .denied("Session ended")
    }
    pushEnd("permission_expired", of: permission, reason: "Approval timeout")
    return .denied("Approval timeout")
  }

  /// Tells every stream that nothing waits under the id any more.
  func pushEnd(_ type: String, of permission: PendingPermission, reason: String? = nil) {
    push(
      .members([
        "type": .string(type),
        "id": .string(permission.id),
        "reason": reason.map(JSONValue.string),
        "sessionId": .string(permission.sessionID),
      ])
    )
  }

  /// Decides a request; false where nothing waits under the id.
  func decide(_ id: String, isAllowed: Bool, scope: String) -> Bool {
    guard let permission = permissions.removeValue(forKey: id) else { return false }
    if isAllowed {
      switch scope {
      case "once": break
      case "session": all[permission.sessionID]?.approvedCommands.insert(permission.call.summary)
      default: approvedCommands.insert(permission.call.summary)
      }
    }
    permission.decision.keep(isAllowed ? .allowed : .denied("Denied by user"))
    return true
  }

  /// Decides over a stream, where only the exact word `deny` refuses.
  func respondToPermission(_ request: StreamRequest, on stream: Stream) throws(StreamError) {
    let id = request.message["id"].string ?? "undefined"
    let isAllowed = request.message["action"] != "deny"
    let scope = request.message["scope"].string ?? "once"
    guard decide(id, isAllowed: isAllowed, scope: scope) else {
      throw .protocolError("Permission request not found: \(id)")
    }
    if dialect.confirmsDecisions, request.requestID != nil { stream.outbox.send(request.result()) }
  }
}
