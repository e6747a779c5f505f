// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiTransport

extension IntentAPIClient {
  /// `GET /permissions/pending` of one session.
  package func pendingPermissions(
    sessionID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [PermissionRequest] {
    let path = "/permissions/pending?sessionId=\(sessionID)"
    return try await get(path, limit: .list, until: deadline) { json in
      json["pending"].array?.compactMap(PermissionRequest.init(json:)) ?? []
    }
  }

  /// What waits for the user's word on a server.
  package struct PendingPermissions: Sendable {
    package var requests: [PermissionRequest]
    /// How far the server's clock is ahead of this machine's; `nil` where it does not say.
    package var clockOffset: Duration?
  }

  /// `GET /permissions/pending` of all sessions.
  package func pendingPermissions(
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> PendingPermissions {
    let before = loop.timestamp()
    let (requests, serverTime) = try await get(
      "/permissions/pending",
      limit: .list,
      over: connection,
      until: deadline
    ) { json in
      (json["pending"].array?.compactMap(PermissionRequest.init(json:)), json["serverTime"].int)
    }
    let after = loop.timestamp()
    guard let requests else { throw .malformedAnswer(server: serverName, what: "requests") }
    // Half of the round trip had passed when the server looked at its clock.
    let middle = before.milliseconds + (after.milliseconds - before.milliseconds) / 2
    return PendingPermissions(
      requests: requests,
      clockOffset: serverTime.map {
        .milliseconds($0.subtractingReportingOverflow(middle).0)
      }
    )
  }

  /// `GET /policy/audit`: what was decided, the latest first.
  package func audit(
    limit: Int,
    sessionID: String?,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [AuditEntry] {
    let session = sessionID.map { "&sessionId=\($0)" } ?? ""
    let path = "/policy/audit?limit=\(min(max(1, limit), 500))\(session)"
    return try await get(path, limit: .list, until: deadline) { json in
      json["entries"].array?.compactMap(AuditEntry.init(json:)) ?? []
    }
  }

  /// `GET /stream/events`: a number that changes whenever anything begins, ends or asks in any
  /// session; `nil` on servers that do not count.
  package func eventCount(until deadline: EventLoop.Instant) async throws(IntentError) -> Int? {
    do {
      let path = "/stream/events?since=\(Self.beyondAllEvents)"
      return try await call("GET", path, until: deadline)["currentSeq"].int
    } catch .refused(404, _, _) {
      return nil
    }
  }

  /// What came of a decision.
  package enum Decision: Sendable, Equatable {
    /// The server has confirmed it.
    case decided
    /// The request was decided by others, has expired or is gone with its session.
    case tooLate
    /// Servers of the older dialect have no such route; the request may wait on.
    case noRoute
  }

  /// `POST /permissions/:id/respond`.
  package func decide(
    _ decision: PermissionDecision,
    permissionID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Decision {
    let body: JSONValue = [
      "action": .string(decision.action), "scope": .string(decision.scope),
    ]
    do throws(IntentError) {
      let path = "/permissions/\(permissionID)/respond"
      let json = try await call("POST", path, body: body, until: deadline)
      guard json["ok"] == true else {
        throw IntentError.malformedAnswer(server: serverName, what: "confirmation")
      }
      return .decided
    } catch IntentError.refused(404, let message, _) {
      // The two differ in words alone.
      return message == "Permission request not found" ? .tooLate : .noRoute
    }
  }
}
