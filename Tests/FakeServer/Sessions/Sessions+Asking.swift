// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

// MARK: - Approvals

extension Sessions {
  /// About a hundred years: the deadline of requests without a timeout.
  private static let never = Duration.seconds(100 * 365 * 86_400)

  /// The pending requests in the form of the REST list.
  var pendingPermissions: [JSONValue] {
    permissions.all.sorted { $0.timeoutAt < $1.timeoutAt }.map(\.entry)
  }

  /// Requests approval of a call on all open streams and waits for the first decision.
  func decision(on call: ScriptedCall, in session: LiveSession) async -> PendingPermission.Decision
  {
    let timeout = configuration.approvalTimeout
    let permission = PendingPermission(
      id: id(counting: "request") { loop.makeID(.long) },
      sessionID: session.id,
      workspaceID: session.workspace.id,
      call: call,
      timeoutAt: Timestamp(
        milliseconds: loop.timestamp.milliseconds + (timeout ?? Self.never).milliseconds
      ),
      expires: timeout != nil
    )
    permissions.add(permission)
    streams.push(permission.request)
    defer { permissions.withdraw(permission) }
    return await decision(on: permission, within: timeout)
  }

  private func decision(
    on permission: PendingPermission,
    within timeout: Duration?
  ) async -> PendingPermission.Decision {
    let decision = permission.decision
    guard let timeout else { return await decision.value() ?? .denied("Session ended") }
    if let decision = await wait(for: decision, atMost: timeout) { return decision }
    // The request may have been decided at the same moment.
    guard !Task.isCancelled, permissions.withdraw(permission) else {
      return await decision.value() ?? .denied("Session ended")
    }
    pushEnd("permission_expired", of: permission, reason: "Approval timeout")
    audit.record(
      permission.call,
      of: (permission.sessionID, permission.workspaceID),
      isAllowed: false,
      by: "timeout",
      on: loop
    )
    return .denied("Approval timeout")
  }

  /// Announces on all streams that a request is no longer pending.
  func pushEnd(_ type: String, of permission: PendingPermission, reason: String? = nil) {
    streams.push(
      .object([
        "type": .string(type),
        "id": .string(permission.id),
        "reason": reason.map(JSONValue.string),
        "sessionId": .string(permission.sessionID),
      ])
    )
  }

  /// Decides a request; returns false if no such request is pending.
  func decide(_ id: String, isAllowed: Bool, scope: String) -> Bool {
    guard let permission = permissions.decide(id, isAllowed: isAllowed, scope: scope) else {
      return false
    }
    let choice: JSONValue = [
      "action": .string(isAllowed ? "allow" : "deny"), "scope": .string(scope),
    ]
    audit.record(
      permission.call,
      of: (permission.sessionID, permission.workspaceID),
      isAllowed: isAllowed,
      by: "user",
      choice: choice,
      on: loop
    )
    return true
  }

  func removeRule(_ id: String) -> Bool { permissions.removeRule(id) }

  /// Decides a request over a stream; any action other than `deny` allows the call.
  func respondToPermission(_ request: StreamRequest, on stream: Stream) throws(StreamError) {
    let id = request.message["id"].string ?? "undefined"
    let isAllowed = request.message["action"] != "deny"
    let scope = request.message["scope"].string ?? "once"
    guard decide(id, isAllowed: isAllowed, scope: scope) else {
      throw .protocolError("Permission request not found: \(id)")
    }
    if dialect.confirmsDecisions, request.requestID != nil { stream.sender.send(request.result()) }
  }
}
