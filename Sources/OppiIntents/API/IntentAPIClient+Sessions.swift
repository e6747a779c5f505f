// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTransport

extension IntentAPIClient {
  /// `GET /workspaces/:ws/sessions/:sid`: a session and the trace of its conversation.
  package func session(
    _ id: String,
    workspaceID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> (session: Session, trace: JSONValue) {
    let json = try await call("GET", Self.path(id, workspaceID), until: deadline)
    guard let session = Session(json: json["session"]) else {
      throw .malformedAnswer(server: serverName, what: "session")
    }
    return (session, json["trace"])
  }

  /// `POST …/stop`: ends the session, its turn included.
  package func stopSession(
    _ id: String,
    workspaceID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) {
    let path = Self.path(id, workspaceID) + "/stop"
    _ = try await call("POST", path, body: [:], until: deadline)
  }

  /// `GET …/events?since=`: the durable events of a loaded session; `nil` where the server's memory
  /// does not reach back so far, or the session is not loaded.
  package func events(
    of id: String,
    workspaceID: String,
    since sequence: Int,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [ServerMessage]? {
    do {
      let path = Self.path(id, workspaceID) + "/events?since=\(sequence)"
      let json = try await call("GET", path, until: deadline)
      guard json["catchUpComplete"] != false else { return nil }
      return json["events"].array?.compactMap(ServerMessage.init(json:))
    } catch .refused(404, _, _) {
      return nil
    }
  }

  /// `GET /permissions/pending` of one session.
  package func pendingPermissions(
    sessionID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [PermissionRequest] {
    let path = "/permissions/pending?sessionId=\(sessionID)"
    let json = try await call("GET", path, until: deadline)
    return json["pending"].array?.compactMap(PermissionRequest.init(json:)) ?? []
  }

  /// `POST /permissions/:id/respond`, for this one call only; servers of the older dialect have no
  /// such route.
  ///
  /// - Returns: False where the request was decided, expired or gone already.
  package func decide(
    _ decision: PermissionDecision,
    permissionID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Bool {
    let body: JSONValue = ["action": .string(decision.rawValue), "scope": "once"]
    do {
      let path = "/permissions/\(permissionID)/respond"
      _ = try await call("POST", path, body: body, until: deadline)
      return true
    } catch .refused(404, _, _) {
      return false
    }
  }

  private static func path(_ id: String, _ workspaceID: String) -> String {
    "/workspaces/\(workspaceID)/sessions/\(id)"
  }
}
