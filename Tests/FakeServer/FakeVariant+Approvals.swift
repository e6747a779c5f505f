// SPDX-License-Identifier: MIT

import OppiHost
import OppiText
import OppiWire
import Synchronization

/// The gate of older servers, which holds calls until somebody approves them.
extension FakeVariant {
  /// About a hundred years: the deadline of requests without a timeout.
  private static let never = Duration.seconds(100 * 365 * 86_400)

  func permissions(of session: LiveSession) -> [PendingPermission] {
    let id = session.id
    return state.withLock { $0.permissions.all.filter { $0.sessionID == id } }
  }

  func denial(
    of call: AgentCall,
    _ turn: AgentTurn,
    in sessions: isolated Sessions
  ) async -> String? {
    let timeout = configuration.approvalTimeout
    let sessionID = turn.session.id
    let isAsked =
      dialect.asksForApproval
      && state.withLock { $0.permissions.asks(for: call, in: sessionID) }
    let permission = PendingPermission(
      id: isAsked ? makeID("request", in: sessions) : "",
      sessionID: sessionID,
      workspaceID: turn.session.workspace.id,
      call: call,
      timeoutAt: loop.timestamp.moved(by: timeout ?? Self.never),
      expires: timeout != nil
    )
    guard isAsked else {
      record(permission, isAllowed: true, by: "policy")
      return nil
    }
    switch await decision(on: permission, atMost: timeout, sessions) {
    case .allowed: return nil
    case .denied(let reason): return reason
    }
  }

  /// Requests approval of a call on all open streams and waits for the first decision.
  private func decision(
    on permission: PendingPermission,
    atMost timeout: Duration?,
    _ sessions: isolated Sessions
  ) async -> PendingPermission.Decision {
    state.withLock { state in
      state.permissions.add(permission)
      state.streams.push(permission.request)
    }
    defer { state.withLock { _ = $0.permissions.withdraw(permission) } }
    let decision = permission.decision
    if let timeout {
      if let decision = await sessions.wait(for: decision, atMost: timeout) { return decision }
      // The request may have been decided at the same moment.
      if !Task.isCancelled, state.withLock({ $0.permissions.withdraw(permission) }) {
        pushEnd("permission_expired", of: permission, reason: "Approval timeout")
        record(permission, isAllowed: false, by: "timeout")
        return .denied("Approval timeout")
      }
    }
    return await decision.value() ?? .denied("Session ended")
  }

  /// More entries than any list has.
  private static let auditCapacity = 1000

  /// Records a decision of `policy`, `user` or `timeout`.
  private func record(
    _ permission: PendingPermission,
    isAllowed: Bool,
    by resolver: String,
    choice: JSONValue? = nil
  ) {
    let entry = JSONValue.object([
      "id": .string(loop.makeID(.long)),
      "timestamp": loop.timestamp.json,
      "sessionId": .string(permission.sessionID),
      "workspaceId": .string(permission.workspaceID),
      "tool": .string(permission.call.tool),
      "displaySummary": .string(permission.call.summary),
      "decision": isAllowed ? "allow" : "deny",
      "resolvedBy": .string(resolver),
      "userChoice": choice,
    ])
    state.withLock { $0.audit = ($0.audit + [entry]).suffix(Self.auditCapacity) }
  }

  /// Announces on all streams that a request is no longer pending.
  func pushEnd(_ type: String, of permission: PendingPermission, reason: String? = nil) {
    let event = JSONValue.object([
      "type": .string(type),
      "id": .string(permission.id),
      "reason": reason.map(JSONValue.string),
      "sessionId": .string(permission.sessionID),
    ])
    state.withLock { $0.streams.push(event) }
  }

  /// Decides a request; returns false if no such request is pending.
  private func decide(_ id: String, isAllowed: Bool, scope: String) -> Bool {
    let permission = state.withLock {
      $0.permissions.decide(id, isAllowed: isAllowed, scope: scope)
    }
    guard let permission else { return false }
    let choice: JSONValue = ["action": isAllowed ? "allow" : "deny", "scope": .string(scope)]
    record(permission, isAllowed: isAllowed, by: "user", choice: choice)
    return true
  }

  /// Decides a request over a stream; any action other than `deny` allows the call.
  func respondToPermission(_ request: ClientRequest) throws(StreamError) {
    let id = request.message["id"].string ?? "undefined"
    let isAllowed = request.message["action"] != "deny"
    let scope = request.message["scope"].string ?? "once"
    guard decide(id, isAllowed: isAllowed, scope: scope) else {
      throw .protocolError("Permission request not found: \(id)")
    }
    if !dialect.isFirst, request.requestID != nil { request.outlet(request.result(), nil) }
  }
}

// MARK: - The routes

extension FakeVariant {
  var permissionRoutes: [Route] {
    guard dialect.asksForApproval else { return [] }
    let decision: [Route] = [
      Route("POST", "/permissions/:id/respond") { [self] call, _ throws(Refusal) in
        .json(try respond(call))
      }
    ]
    let routes: [Route] = [
      Route("GET", "/permissions/pending") { [self] call, sessions throws(Refusal) in
        .json(try pending(call, sessions))
      },
      Route("GET", "/policy/audit") { [self] call, _ throws(Refusal) in
        let limit = try call.number("limit") ?? 50
        let id = call.query["sessionId"]
        let entries = state.withLock(\.audit).filter { entry in
          id.map { entry["sessionId"].string == $0 } ?? true
        }
        return .json(["entries": .array(entries.suffix(limit).reversed())])
      },
      Route("GET", "/policy/fallback") { _, _ in .json(["fallback": "allow"]) },
      Route("GET", "/policy/rules") { [self] _, _ in
        .json(["rules": .array(state.withLock(\.permissions.rules))])
      },
      Route("DELETE", "/policy/rules/:id") { [self] call, _ throws(Refusal) in
        let id = call.parameters["id"] ?? ""
        guard state.withLock({ $0.permissions.removeRule(id) }) else {
          throw Refusal(404, "Rule not found")
        }
        return .json(["ok": true])
      },
    ]
    return configuration.isCurrent ? routes + decision : routes
  }

  private func pending(
    _ call: Call,
    _ sessions: isolated Sessions
  ) throws(Refusal) -> JSONValue {
    let id = call.query["sessionId"]
    if let id { _ = try sessions.session(id) }
    let all = state.withLock(\.permissions.all).sorted { $0.timeoutAt < $1.timeoutAt }
    let pending = all.filter { permission in id.map { permission.sessionID == $0 } ?? true }
    return ["pending": .array(pending.map(\.entry)), "serverTime": loop.timestamp.json]
  }

  private func respond(_ call: Call) throws(Refusal) -> JSONValue {
    let body = try call.body(invalid: 400)
    guard let action = body["action"].string, ["allow", "deny"].contains(action) else {
      throw Refusal(400, "action must be \"allow\" or \"deny\"")
    }
    let scope = body["scope"] == .null ? "once" : body["scope"].string ?? ""
    guard ["once", "session", "global"].contains(scope) else {
      throw Refusal(400, "scope must be \"once\", \"session\", or \"global\"")
    }
    let id = call.parameters["id"] ?? ""
    guard decide(id, isAllowed: action == "allow", scope: scope) else {
      throw Refusal(404, "Permission request not found")
    }
    return [
      "ok": true, "id": .string(id), "action": .string(action), "scope": .string(scope),
    ]
  }
}
