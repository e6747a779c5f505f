// SPDX-License-Identifier: MIT

package import OppiModel
import OppiText
package import OppiWire

extension ServerCalls {
  /// `GET /permissions/pending?sessionId=`; none on servers without a gate.
  package func pendingPermissions(sessionID: String) async throws(OppiError) -> [HumanRequest] {
    guard dialect?.requests != .dialogs else { return [] }
    let request = ServerRequest.get("/permissions/pending?sessionId=\(sessionID)", limit: .list)
    return try await answer(to: request.map { Self.permissions(in: $0) ?? [] })
  }

  private static func permissions(in json: JSONValue) -> [HumanRequest]? {
    json["pending"].array?.compactMap { PermissionRequest(json: $0).map(HumanRequest.permission) }
  }

  /// `GET /permissions/pending`, for all sessions; none on servers without a gate, of which only the
  /// clock is read.
  package func pendingPermissions() async throws(OppiError) -> PendingRequests {
    guard dialect?.requests != .dialogs else {
      let offset = try await datedAnswer(to: .get("/me")).clockOffset
      return PendingRequests(clockOffset: offset, way: .dialogs)
    }
    let before = loop.timestamp()
    let (requests, serverTime) = try await answer(
      to: ServerRequest.get("/permissions/pending", limit: .list).reading("requests") { json in
        Self.permissions(in: json).map { ($0, json["serverTime"].int) }
      }
    )
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
  package func audit(limit: Int, sessionID: String?) async throws(OppiError) -> [AuditEntry]? {
    guard dialect?.requests != .dialogs else { return nil }
    let session = sessionID.map { "&sessionId=\($0)" } ?? ""
    let path = "/policy/audit?limit=\(min(max(1, limit), 500))\(session)"
    let request = ServerRequest.get(path, limit: .list)
    return try await answer(to: request.map { $0["entries"].elements(AuditEntry.init(json:)) })
  }

  /// `GET /stream/events`: a counter that changes when anything starts, ends or requests input in
  /// any session; `nil` on servers without the route.
  package func eventCount() async throws(OppiError) -> Int? {
    let path = "/stream/events?since=\(Self.beyondAllEvents)"
    return try await answer(to: .get(path), unless: \.isNotFound)?["currentSeq"].int
  }

  /// How many of the last events are read; servers keep 2000.
  private static let recentEventCount = 1000

  /// The ids of the requests in the server's recent events, pending or not.
  ///
  /// The record of decisions does not name requests. None on servers without the route.
  package func recentRequestIDs() async throws(OppiError) -> Set<String> {
    guard let count = try await eventCount() else { return [] }
    let path = "/stream/events?since=\(max(0, count - Self.recentEventCount))"
    return try await answer(
      to: ServerRequest.get(path, limit: .list).map { json in
        Set(json["events"].elements { $0["type"] == "permission_request" ? $0["id"].wireID : nil })
      }
    )
  }

  /// The server's answer to a decision.
  package enum Decision: Sendable, Equatable {
    case decided
    /// The request was already decided, expired, or is gone with its session.
    case tooLate
    /// Servers of the older dialect lack the route; the request may still be pending.
    case noRoute
  }

  /// `POST /permissions/:id/respond`.
  package func decide(
    _ decision: PermissionDecision,
    permissionID: String
  ) async throws(OppiError) -> Decision {
    let body: JSONValue = [
      "action": .string(decision.action), "scope": .string(decision.scope),
    ]
    let request = ServerRequest.call("POST", "/permissions/\(permissionID)/respond", body: body)
    do {
      try await answer(to: request.confirmed)
      return .decided
    } catch  where error.isNotFound {
      // Only the message distinguishes a missing request from a missing route.
      return error.reason == .refused(404, "Permission request not found") ? .tooLate : .noRoute
    }
  }

  /// `GET /sessions/:sid/dialogs`: the pending dialogs of a session, as far as servers list them;
  /// none if the server does not know the session.
  package func dialogs(of sessionID: String) async throws(OppiError) -> PendingRequests {
    let before = loop.timestamp()
    let request = ServerRequest.get("/sessions/\(sessionID)/dialogs", limit: .list)
      .reading("dialogs") { json in
        UserQuestion.listed(in: json, of: sessionID).map { ($0, json["serverNow"].int) }
      }
    guard let (dialogs, serverTime) = try await answer(to: request, unless: \.isNotFound) else {
      return PendingRequests(way: .dialogs)
    }
    return PendingRequests(
      requests: dialogs.map(HumanRequest.question),
      clockOffset: clockOffset(serverTime, sentAt: before),
      way: .dialogs
    )
  }

  /// `POST /sessions/:sid/command` with the answer to a dialog; starts no agent.
  ///
  /// - Throws: If the server cannot be reached, or its response is malformed.
  package func answer(
    _ answer: QuestionAnswer,
    toDialog id: String,
    of sessionID: String
  ) async throws(OppiError) -> DialogReply {
    let requestID = loop.newID()
    let body = ClientMessage.answer(questionID: id, answer)
      .json(sessionID: nil, requestID: requestID)
    let request = ServerRequest.call("POST", "/sessions/\(sessionID)/command", body: body)
      .reading("messages") { DialogReply(json: $0, dialogID: id, requestID: requestID) }
    do {
      return try await self.answer(to: request)
    } catch {
      // Some servers report the error of a command as the status of the call.
      guard case .refused(_, let message?)? = error.reason,
        DialogReply(failure: message, id) == .gone
      else { throw error }
      return .gone
    }
  }

  /// The requests that are pending under the id of a request; `nil` if requests like it are not
  /// listed.
  package func pending(
    as request: HumanRequest,
    in sessionID: String?
  ) async throws(OppiError) -> [HumanRequest]? {
    let pending: PendingRequests
    if request.kind == .permission {
      pending = try await pendingPermissions()
    } else {
      guard request.question?.isListed == true, let sessionID else { return nil }
      pending = try await dialogs(of: sessionID)
    }
    return pending.requests.filter { $0.id == request.id }
  }

  /// `GET /policy/fallback` and `GET /policy/rules`; `nil` on servers without a gate.
  package func policy() async throws(OppiError) -> ServerPolicy? {
    guard dialect?.requests != .dialogs else { return nil }
    let fallback = ServerRequest.get("/policy/fallback")
      .reading("policy") { ServerPolicy.fallback(json: $0) }
    let rules = ServerRequest.list("rules", at: "/policy/rules") { ServerPolicy.Rule(json: $0) }
    guard let fallback = try await answer(to: fallback, unless: \.isMissingRoute),
      let rules = try await answer(to: rules, unless: \.isMissingRoute)
    else { return nil }
    return ServerPolicy(fallback: fallback, rules: rules)
  }

  /// `DELETE /policy/rules/:id`; a rule that is already gone is no error: the list of rules tells.
  package func deletePolicyRule(_ id: String) async throws(OppiError) {
    _ = try await answer(to: .call("DELETE", "/policy/rules/\(id)"), unless: \.isNotFound)
  }
}

extension PairedServer {
  /// Whether the server is known to have dialogs over REST, and no gate.
  package var listsDialogs: Bool { dialect?.requests.listsDialogs ?? false }

  /// Whether a pending question can be answered over a new connection, as far as is known.
  package var repeatsQuestions: Bool { dialect?.stream.repeatsQuestions ?? true }
}

extension JSONValue {
  /// The usable elements of a list; none of any other kind of value.
  func elements<Element>(_ element: (JSONValue) -> Element?) -> [Element] {
    array?.compactMap(element) ?? []
  }
}

/// The pending requests of a server: tool calls that its gate holds, or dialogs of its extensions.
package struct PendingRequests: Sendable {
  package var requests: [HumanRequest] = []
  /// How far the server's clock is ahead of this machine's; `nil` if the server does not report its
  /// time.
  package var clockOffset: Duration?
  /// What asks a human on this server, by what it answered.
  package var way: Dialect.Requests
  /// The sessions, if they had to be listed.
  package var sessions: [Session]?

  /// The most sessions whose dialogs are read; far above the sessions that a server loads.
  private static let sessionLimit = 1000

  /// Reads the pending requests of a server.
  ///
  /// Dialogs are read only of sessions that have some, by the numbers in `list`, or in another list
  /// if that has none.
  ///
  /// - Throws: If the server cannot be queried; 404 if it speaks another dialect than it is known to.
  package static func read(
    over calls: ServerCalls,
    in list: ServerCalls.SessionList?
  ) async throws(OppiError) -> PendingRequests {
    guard calls.dialect?.requests != .dialogs else {
      return try await dialogs(over: calls, in: list)
    }
    do {
      return try await calls.pendingPermissions()
    } catch  where calls.dialect == nil && error.isMissingRoute {
      // A server that tells its dialect is queried again; another one has no gate.
      guard let info = try await calls.info(),
        Dialect.detected(by: info, credential: .bearer) == nil
      else { throw error }
      return PendingRequests(way: .dialogs)
    }
  }

  private static func dialogs(
    over calls: ServerCalls,
    in list: ServerCalls.SessionList?
  ) async throws(OppiError) -> PendingRequests {
    var pending = PendingRequests(way: .dialogs)
    var all = list?.sessions ?? []
    if list?.listing.countsDialogs != true {
      all = try await calls.sessionList(.loaded).sessions
      pending.sessions = all
    }
    let asking = all.filter { $0.pendingCount > 0 }.prefix(sessionLimit)
    guard !asking.isEmpty else { return pending }
    let looks = await calls.perform(Array(asking)) {
      (session, calls) -> (session: Session, list: Result<PendingRequests, OppiError>) in
      do throws(OppiError) {
        return (session, .success(try await calls.dialogs(of: session.id)))
      } catch {
        return (session, .failure(error))
      }
    }
    for look in looks {
      // Without one of the lists, a request may be missing, or a prefix of its id not be unique.
      let list = try look.list.get()
      for case .question(var question) in list.requests {
        question.workspaceID = look.session.workspaceID
        pending.requests.append(.question(question))
      }
      pending.clockOffset = pending.clockOffset ?? list.clockOffset
    }
    return pending
  }
}
