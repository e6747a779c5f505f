// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiText
package import OppiWire

// MARK: - Lists of sessions

extension ServerCalls {
  /// The sessions of a server.
  package struct SessionList: Sendable {
    package var sessions: [Session]
    /// The list that the server has.
    package var listing: Dialect.Listing
    /// How far the server's clock is ahead of this machine's, to a second; `nil` if the server does
    /// not report its time.
    package var clockOffset: Duration?
  }

  /// The sessions that a flow needs, and maybe others.
  package func listSessions(
    _ scope: Dialect.Listing.Scope = .all
  ) async throws(OppiError) -> [Session] {
    try await sessionList(scope).sessions
  }

  /// As ``listSessions(_:)``, by the newest list that the server has.
  package func sessionList(
    _ scope: Dialect.Listing.Scope = .all
  ) async throws(OppiError) -> SessionList {
    // A server of the oldest dialect may have been updated.
    var listing = dialect?.listing == .recent ? Dialect.Listing.recent : .sessions
    while let path = listing.path(of: scope) {
      do {
        return try await sessionList(listing, at: path)
      } catch  where error.isNotFound {
        guard let earlier = listing.earlier else { throw error }
        listing = earlier
      }
    }
    var all = SessionList(sessions: [], listing: listing)
    for workspace in try await api.until(deadline).listWorkspaces() {
      let list = try await sessionList(listing, at: "/workspaces/\(workspace.id)/sessions")
      all.sessions += list.sessions
      all.clockOffset = list.clockOffset
    }
    return all
  }

  private func sessionList(
    _ listing: Dialect.Listing,
    at path: String
  ) async throws(OppiError) -> SessionList {
    let answer = try await datedAnswer(to: .list("sessions", at: path) { Session(json: $0) })
    return SessionList(
      sessions: answer.value,
      listing: listing,
      clockOffset: answer.clockOffset
    )
  }

  /// The session with its workspace, which paths of most dialects need.
  func located(_ session: ServerSession) async throws(OppiError) -> ServerSession {
    guard session.workspaceID == nil else { return session }
    guard let found = try await entry(of: session.id) else {
      throw .unknownSession(name: session.id)
    }
    var session = session
    session.workspaceID = found.workspaceID
    session.workspaceName = found.workspaceName
    return session
  }

  /// A session without its conversation; `nil` if the server does not know it.
  private func entry(of id: String) async throws(OppiError) -> Session? {
    guard let path = dialect?.listing.path(ofEntry: id) else {
      return try await listSessions().first { $0.id == id }
    }
    return try await answer(to: ServerRequest.get(path).session, unless: \.isAboutSession)
  }

  /// `GET /sessions/search`: the sessions that contain a text; `nil` on servers without search.
  package func search(
    _ text: String,
    workspaceID: String?,
    limit: Int
  ) async throws(OppiError) -> [SearchResult]? {
    var path = "/sessions/search?q=\(text.percentEncoded)&limit=\(min(max(1, limit), 100))"
    if let workspaceID { path += "&workspaceId=\(workspaceID)" }
    let request = ServerRequest.get(path, limit: .list)
      .map { $0["results"].elements { SearchResult(json: $0, for: text) } }
    return try await answer(to: request, unless: \.isNotFound)
  }
}

extension IntentAPIClient {
  /// The session with its workspace; waits for at most 5 s.
  package func located(_ session: ServerSession) async throws(OppiError) -> ServerSession {
    try await within(.seconds(5)).located(session)
  }
}

// MARK: - One session

extension ServerCalls {
  package func session(
    _ id: String,
    workspaceID: String?
  ) async throws(OppiError) -> (session: Session, trace: JSONValue) {
    let path = try path(id, workspaceID) + records.tracePath
    return try await answer(
      to: ServerRequest.get(path, limit: .conversation).reading("session") { json in
        Session(json: json["session"]).map { ($0, json["trace"]) }
      },
      ofSession: id
    )
  }

  /// `POST …/stop`: ends the session and its turn.
  package func stopSession(_ id: String, workspaceID: String) async throws(OppiError) {
    let path = Self.path(id, workspaceID) + "/stop"
    try await answer(to: ServerRequest.call("POST", path, body: [:]).confirmed, ofSession: id)
  }

  /// Calls a session's route; 404 means that the server does not know the session, unless the route
  /// is missing on a server that had it.
  private func answer<Value>(
    to request: ServerRequest<Value>,
    ofSession id: String
  ) async throws(OppiError) -> Value {
    do {
      return try await answer(to: request)
    } catch  where error.isNotFound {
      throw records == .recent && !error.isAboutSession ? error : .unknownSession(name: id)
    }
  }

  /// `DELETE /workspaces/:ws/sessions/:sid`: deletes a session permanently; waits for a start in
  /// progress.
  ///
  /// - Throws: `.unknownSession` if the server does not have it, for example after an earlier
  ///   deletion.
  package func deleteSession(_ id: String, workspaceID: String) async throws(OppiError) {
    let request = ServerRequest.call("DELETE", Self.path(id, workspaceID))
    guard try await answer(to: request, unless: \.isAboutSession) != nil else {
      throw .unknownSession(name: id)
    }
  }

  /// Deletes a session unless it has a conversation or a running turn; returns whether it was
  /// deleted.
  ///
  /// Up to `refusals` messages may be refused prompts, which older servers count.
  package func deleteUnused(
    _ id: String,
    workspaceID: String,
    afterRefusals refusals: Int = 0
  ) async throws(OppiError) -> Bool {
    let (current, trace) = try await session(id, workspaceID: workspaceID)
    guard current.messageCount <= refusals, !current.status.isAtWork,
      trace.array?.isEmpty != false
    else { return false }
    try await deleteSession(id, workspaceID: workspaceID)
    return true
  }

  /// The durable events of a loaded agent.
  package struct Events: Sendable {
    /// `nil` if the server no longer keeps events that old.
    package var events: [ServerMessage]?
    /// The current session, not the stored one.
    package var session: Session?
    /// The counter of the latest event.
    package var sequence: Int?
    /// The agent that counts; `nil` on servers that do not name agents.
    package var epoch: String?
    /// How far the server's clock is ahead of this machine's, to a second; zero if the server does not
    /// report its time.
    package fileprivate(set) var clockOffset = Duration.zero

    fileprivate init(json: JSONValue) {
      let isComplete = json["catchUpComplete"] != false
      events = isComplete ? json["events"].array?.compactMap(ServerMessage.init(json:)) : nil
      session = Session(json: json["session"])
      sequence = json["currentSeq"].int
      epoch = ServerMessage.epoch(in: json)
    }
  }

  /// The sessions with a running turn; if there is none, those whose turn pauses before a retry, which
  /// servers list as idle.
  func sessionsAtWork() async throws(OppiError) -> [Session] {
    let list = try await sessionList(.loaded)
    let busy = list.sessions.filter { $0.status == .busy }
    guard busy.isEmpty else { return busy }
    let now = loop.timestamp().moved(by: list.clockOffset ?? .zero)
    let recent = list.sessions.filter { $0.idleTime(at: now) < Self.longestPause }
    let looks = await perform(recent) { session, calls -> Result<Session?, OppiError>? in
      do throws(OppiError) {
        let workspaceID = session.workspaceID
        let loaded = try await calls.events(of: session.id, workspaceID: workspaceID, since: 0)
        let pause = loaded?.pause(of: session, at: calls.loop.timestamp())
        return .success(pause == nil ? nil : session)
      } catch {
        return .failure(error)
      }
    }
    let paused = looks.compactMap { (try? $0.get()) ?? nil }
    // A session that could not be read may be the one.
    if paused.isEmpty { for look in looks { _ = try look.get() } }
    return paused
  }

  /// Few sessions are read for a pause: longer ones are rare.
  private static let longestPause = Duration.seconds(300)

  /// `GET …/events?since=`: the durable events after a counter; `nil` if the agent is not loaded.
  package func events(
    of id: String,
    workspaceID: String?,
    since sequence: Int
  ) async throws(OppiError) -> Events? {
    let path = try path(id, workspaceID) + "/events?since=\(sequence)"
    let request = ServerRequest.get(path, limit: .conversation).map { Events(json: $0) }
    do throws(OppiError) {
      let answer = try await datedAnswer(to: request)
      var events = answer.value
      events.clockOffset = answer.clockOffset ?? .zero
      return events
    } catch  where error.isNotFound {
      return nil
    }
  }

  /// The session as its loaded agent reports it, which may be newer than the list; `nil` if no
  /// agent is loaded.
  package func liveSession(_ session: Session) async throws(OppiError) -> Session? {
    guard session.workspaceID != nil || records == .recent else { return nil }
    return try await events(
      of: session.id,
      workspaceID: session.workspaceID,
      since: Self.beyondAllEvents
    )
    .map { $0.session ?? session }
  }

  /// Above every counter that occurs, so that the server has no events to list.
  package static let beyondAllEvents = 1 << 52

  /// The full output of a command, of which the trace has only the end; `nil` if the server has no
  /// more.
  package func wholeOutput(
    ofCall callID: String,
    in id: String,
    workspaceID: String
  ) async throws(OppiError) -> String? {
    guard WireID.isValid(callID),
      let path = records.path(ofOutput: callID, session: id, workspaceID: workspaceID)
    else { return nil }
    return try await answer(to: .get(path, limit: .conversation), unless: \.isNotFound)?["output"]
      .string
  }

  /// How the server's records of sessions are read.
  private var records: Dialect.Listing { dialect?.listing ?? .sessions }

  /// The path of a session's records.
  private func path(_ id: String, _ workspaceID: String?) throws(OppiError) -> String {
    guard let path = records.path(ofSession: id, workspaceID: workspaceID) else {
      throw .unknownSession(name: id)
    }
    return path
  }

  /// The path of what changes a session.
  private static func path(_ id: String, _ workspaceID: String) -> String {
    "/workspaces/\(workspaceID)/sessions/\(id)"
  }
}

extension ServerCalls.Events {
  /// The pause in which the agent of a session is, and its longest time from now on; `nil` if the
  /// agent works or its turn is over.
  package func pause(of listed: Session, at now: Timestamp) -> (kind: RunPause, left: Duration)? {
    let session = session ?? listed
    guard session.status == .ready, let pause = events?.pause else { return nil }
    let left = pause.limit - session.idleTime(at: now.moved(by: clockOffset))
    return left > .zero ? (pause, left) : nil
  }
}

extension Session {
  /// How far its last activity is from a moment of the server's clock.
  fileprivate func idleTime(at now: Timestamp) -> Duration {
    .milliseconds(abs(now.milliseconds - lastActivity.milliseconds))
  }
}

extension OppiError {
  /// Whether a server does not know a session, which its words tell from a missing route.
  fileprivate var isAboutSession: Bool { reason == .refused(404, "Session not found") }
}

package struct ServerSession: Sendable, Equatable {
  package var server: PairedServer
  package var id: String
  /// `nil` if only the server knows it yet.
  package var workspaceID: String?
  package var workspaceName: String?

  package init(
    server: PairedServer,
    id: String,
    workspaceID: String? = nil,
    workspaceName: String? = nil
  ) {
    (self.server, self.id) = (server, id)
    (self.workspaceID, self.workspaceName) = (workspaceID, workspaceName)
  }
}
