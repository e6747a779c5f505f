// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

extension IntentAPIClient {
  /// `GET /permissions/pending?sessionId=`; none on servers without a gate.
  func pendingPermissions(
    sessionID: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> [HumanRequest] {
    guard dialect?.requests != .dialogs else { return [] }
    let path = "/permissions/pending?sessionId=\(sessionID)"
    return try await get(path, limit: .list, until: deadline) { Self.calls(in: $0) ?? [] }
  }

  private static func calls(in json: JSONValue) -> [HumanRequest]? {
    json["pending"].array?.compactMap { PermissionRequest(json: $0).map(HumanRequest.permission) }
  }

  /// `GET /permissions/pending`, for all sessions; none on servers without a gate, of which only the
  /// clock is read.
  func pendingPermissions(
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> PendingRequests {
    guard dialect?.requests != .dialogs else {
      let read = Self.whole { _ in }
      let me = try await getDated("/me", limit: .entry, over: connection, until: deadline, read)
      return PendingRequests(clockOffset: me.clockOffset, way: .dialogs)
    }
    let before = loop.timestamp()
    let (requests, serverTime) = try await get(
      "/permissions/pending",
      limit: .list,
      over: connection,
      until: deadline
    ) { json in
      (Self.calls(in: json), json["serverTime"].int)
    }
    guard let requests else { throw malformed("requests") }
    let offset = clockOffset(serverTime, sentAt: before)
    return PendingRequests(requests: requests, clockOffset: offset, way: .permissions)
  }

  /// How far the server's clock is ahead, by the time in an answer that has just arrived.
  private func clockOffset(_ serverTime: Int?, sentAt: Timestamp) -> Duration? {
    serverTime.map {
      ClockOffset.estimate(serverTime: $0, sentAt: sentAt, receivedAt: loop.timestamp())
    }
  }

  /// `GET /policy/audit`: past decisions, the latest first; `nil` on servers without a gate.
  ///
  /// `limit` is clamped to 1...500.
  func audit(
    limit: Int,
    sessionID: String?,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> [AuditEntry]? {
    guard dialect?.requests != .dialogs else { return nil }
    let session = sessionID.map { "&sessionId=\($0)" } ?? ""
    let path = "/policy/audit?limit=\(min(max(1, limit), 500))\(session)"
    return try await get(path, limit: .list, until: deadline) { json in
      json["entries"].array?.compactMap(AuditEntry.init(json:)) ?? []
    }
  }

  /// `GET /stream/events`: a counter that changes when anything starts, ends or requests input in
  /// any session; `nil` on servers without the route.
  func eventCount(until deadline: EventLoop.Instant) async throws(OppiError) -> Int? {
    do {
      let path = "/stream/events?since=\(Self.beyondAllEvents)"
      return try await call("GET", path, until: deadline)["currentSeq"].int
    } catch  where error.isNotFound {
      return nil
    }
  }

  /// How many of the last events are read; servers keep 2000.
  private static let recentEventCount = 1000

  /// The ids of the requests in the server's recent events, pending or not.
  ///
  /// The record of decisions does not name requests. None on servers without the route.
  func recentRequestIDs(until deadline: EventLoop.Instant) async throws(OppiError) -> Set<String> {
    guard let count = try await eventCount(until: deadline) else { return [] }
    let path = "/stream/events?since=\(max(0, count - Self.recentEventCount))"
    return try await get(path, limit: .list, until: deadline) { json in
      let events = json["events"].array ?? []
      return Set(events.filter { $0["type"] == "permission_request" }.compactMap(\.["id"].wireID))
    }
  }

  /// The server's answer to a decision.
  enum Decision: Sendable, Equatable {
    case decided
    /// The request was already decided, expired, or is gone with its session.
    case tooLate
    /// Servers of the older dialect lack the route; the request may still be pending.
    case noRoute
  }

  /// `POST /permissions/:id/respond`.
  func decide(
    _ decision: PermissionDecision,
    permissionID: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Decision {
    let body: JSONValue = [
      "action": .string(decision.action), "scope": .string(decision.scope),
    ]
    do throws(OppiError) {
      let path = "/permissions/\(permissionID)/respond"
      try checkConfirmation(try await call("POST", path, body: body, until: deadline))
      return .decided
    } catch  where error.isNotFound {
      // Only the message distinguishes a missing request from a missing route.
      return error.reason == .refused(404, "Permission request not found") ? .tooLate : .noRoute
    }
  }
}

extension IntentAPIClient {
  /// `GET /sessions/:sid/dialogs`: the pending dialogs of a session, without those of kind `editor`;
  /// none if the server does not know the session.
  func dialogs(
    of sessionID: String,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> PendingRequests {
    let list: DialogList?
    let before = loop.timestamp()
    do {
      list = try await get(
        "/sessions/\(sessionID)/dialogs",
        limit: .list,
        over: connection,
        until: deadline
      ) { json in
        DialogList(json: json, sessionID: sessionID)
      }
    } catch  where error.isNotFound {
      return PendingRequests(way: .dialogs)
    }
    guard let list else { throw malformed("dialogs") }
    return PendingRequests(
      requests: list.dialogs.map(HumanRequest.question),
      clockOffset: clockOffset(list.serverNow?.milliseconds, sentAt: before),
      way: .dialogs
    )
  }

  /// `POST /sessions/:sid/command` with the answer to a dialog; starts no agent.
  ///
  /// - Throws: If the server cannot be reached, or its response is malformed.
  func answer(
    _ answer: QuestionAnswer,
    toDialog id: String,
    of sessionID: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> DialogReply {
    let requestID = loop.newID()
    let message = ClientMessage.answer(questionID: id, answer)
    let json: JSONValue
    do {
      json = try await call(
        "POST",
        "/sessions/\(sessionID)/command",
        body: message.json(sessionID: nil, requestID: requestID),
        until: deadline
      )
    } catch {
      // Some servers report the error of a command as the status of the call.
      guard case .refused(_, let message?)? = error.reason,
        DialogReply(failure: message, id) == .gone
      else { throw error }
      return .gone
    }
    guard let reply = DialogReply(json: json, dialogID: id, requestID: requestID) else {
      throw malformed("messages")
    }
    return reply
  }
}

extension PairedServer {
  /// Whether the server is known to have dialogs over REST, and no gate.
  var listsDialogs: Bool { dialect?.requests.listsDialogs ?? false }
}

extension IntentAPIClient {
  /// `GET /policy/fallback` and `GET /policy/rules`; `nil` on servers without a gate.
  func policy(
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> ServerPolicy? {
    guard dialect?.requests != .dialogs else { return nil }
    do throws(OppiError) {
      let fallback = try await get("/policy/fallback", limit: .entry, until: deadline) { json in
        ServerPolicy.fallback(json: json)
      }
      guard let fallback else { throw malformed("policy") }
      let rules = try await list("rules", at: "/policy/rules", until: deadline) {
        ServerPolicy.Rule(json: $0)
      }
      return ServerPolicy(fallback: fallback, rules: rules)
    } catch {
      guard error.isMissingRoute else { throw error }
      return nil
    }
  }

  /// `DELETE /policy/rules/:id`; a rule that is already gone is no error.
  func deletePolicyRule(
    _ id: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) {
    do throws(OppiError) {
      _ = try await call("DELETE", "/policy/rules/\(id)", until: deadline)
    } catch  where error.isNotFound {
      // The list of rules tells whether it is gone.
    }
  }
}
