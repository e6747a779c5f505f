// SPDX-License-Identifier: MIT

import EventLoop
import OppiHost
import OppiModel
import OppiTransport
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
    let (id, workspaceID) = (turn.session.id, turn.session.workspace.id)
    let isAsked = state.withLock { $0.permissions.asks(for: call, in: id) }
    guard dialect.asksForApproval, isAsked else {
      record(call, of: (id, workspaceID), isAllowed: true, by: "policy")
      return nil
    }
    switch await decision(on: call, in: turn.session, sessions) {
    case .allowed: return nil
    case .denied(let reason): return reason
    }
  }

  /// Requests approval of a call on all open streams and waits for the first decision.
  private func decision(
    on call: AgentCall,
    in session: LiveSession,
    _ sessions: isolated Sessions
  ) async -> PendingPermission.Decision {
    let timeout = configuration.approvalTimeout
    let permission = PendingPermission(
      id: makeID("request", in: sessions),
      sessionID: session.id,
      workspaceID: session.workspace.id,
      call: call,
      timeoutAt: loop.timestamp.moved(by: timeout ?? Self.never),
      expires: timeout != nil
    )
    state.withLock { state in
      state.permissions.add(permission)
      state.streams.push(permission.request)
    }
    defer { state.withLock { _ = $0.permissions.withdraw(permission) } }
    let decision = permission.decision
    guard let timeout else { return await decision.value() ?? .denied("Session ended") }
    if let decision = await sessions.wait(for: decision, atMost: timeout) { return decision }
    // The request may have been decided at the same moment.
    guard !Task.isCancelled, state.withLock({ $0.permissions.withdraw(permission) }) else {
      return await decision.value() ?? .denied("Session ended")
    }
    pushEnd("permission_expired", of: permission, reason: "Approval timeout")
    let place = (permission.sessionID, permission.workspaceID)
    record(permission.call, of: place, isAllowed: false, by: "timeout")
    return .denied("Approval timeout")
  }

  private func record(
    _ call: AgentCall,
    of place: (id: String, workspaceID: String),
    isAllowed: Bool,
    by resolver: String,
    choice: JSONValue? = nil
  ) {
    state.withLock { [loop] state in
      state.audit.record(
        call,
        of: place,
        isAllowed: isAllowed,
        by: resolver,
        choice: choice,
        on: loop
      )
    }
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
  func decide(_ id: String, isAllowed: Bool, scope: String) -> Bool {
    let permission = state.withLock {
      $0.permissions.decide(id, isAllowed: isAllowed, scope: scope)
    }
    guard let permission else { return false }
    let action = isAllowed ? "allow" : "deny"
    record(
      permission.call,
      of: (permission.sessionID, permission.workspaceID),
      isAllowed: isAllowed,
      by: "user",
      choice: ["action": .string(action), "scope": .string(scope)]
    )
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
    if !dialect.isFirst, request.requestID != nil {
      request.outlet.send(request.result(), about: nil)
    }
  }
}

// MARK: - The routes

extension FakeVariant {
  var permissionRoutes: [Route] {
    guard dialect.asksForApproval else { return [] }
    let decision: [Route] = [
      Route("POST", "/permissions/:id/respond") { [self] call, _ throws(Refusal) in
        (try respond(call), 200)
      }
    ]
    let routes: [Route] = [
      Route("GET", "/permissions/pending") { [self] call, router throws(Refusal) in
        (try await pending(call, router), 200)
      },
      Route("GET", "/policy/audit") { [self] call, _ throws(Refusal) in (try audit(call), 200) },
      Route("GET", "/policy/fallback") { _, _ in (["fallback": "allow"], 200) },
      Route("GET", "/policy/rules") { [self] _, _ in
        (["rules": .array(state.withLock(\.permissions.rules))], 200)
      },
      Route("DELETE", "/policy/rules/:id") { [self] call, _ throws(Refusal) in
        let id = call.parameters["id"] ?? ""
        guard state.withLock({ $0.permissions.removeRule(id) }) else {
          throw Refusal(404, "Rule not found")
        }
        return (["ok": true], 200)
      },
    ]
    return configuration.isCurrent ? routes + decision : routes
  }

  private func audit(_ call: Call) throws(Refusal) -> JSONValue {
    guard let limit = Int(call.query["limit"] ?? "50"), (1...500).contains(limit) else {
      throw Refusal(400, "limit must be an integer between 1 and 500")
    }
    let id = call.query["sessionId"]
    return ["entries": .array(state.withLock { $0.audit.latest(limit, ofSession: id) })]
  }

  private func pending(_ call: Call, _ router: Router) async throws(Refusal) -> JSONValue {
    if let id = call.query["workspaceId"] { _ = try router.workspace(id) }
    if let id = call.query["sessionId"] { _ = try await router.sessions.detail(of: id) }
    let all = state.withLock(\.permissions.all).sorted { $0.timeoutAt < $1.timeoutAt }
    let pending = all.map(\.entry).filter { permission in
      ["workspaceId", "sessionId"].allSatisfy { name in
        call.query[name].map { permission[name].string == $0 } ?? true
      }
    }
    return ["pending": .array(pending), "serverTime": loop.timestamp.json]
  }

  private func respond(_ call: Call) throws(Refusal) -> JSONValue {
    let body: JSONValue
    do {
      body = try call.body
    } catch {
      throw Refusal(400, error.text)
    }
    guard let action = body["action"].string, ["allow", "deny"].contains(action) else {
      throw Refusal(400, "action must be \"allow\" or \"deny\"")
    }
    let scope = body["scope"] == .null ? "once" : body["scope"].string ?? ""
    guard ["once", "session", "global"].contains(scope) else {
      throw Refusal(400, "scope must be \"once\", \"session\", or \"global\"")
    }
    let duration = body["expiresInMs"]
    guard duration == .null || (duration.double ?? 0) > 0 else {
      throw Refusal(400, "expiresInMs must be a positive number when provided")
    }
    let id = call.parameters["id"] ?? ""
    guard decide(id, isAllowed: action == "allow", scope: scope) else {
      throw Refusal(404, "Permission request not found")
    }
    return .object([
      "ok": true,
      "id": .string(id),
      "action": .string(action),
      "scope": .string(scope),
      "expiresInMs": duration == .null ? nil : duration,
    ])
  }
}
