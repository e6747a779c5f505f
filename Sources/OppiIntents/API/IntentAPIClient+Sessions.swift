// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiTransport

extension IntentAPIClient {
  /// `GET /workspaces/:ws/sessions/:sid`: a session and the trace of its conversation.
  package func session(
    _ id: String,
    workspaceID: String,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> (session: Session, trace: JSONValue) {
    let json = try await callSession(
      id,
      "GET",
      Self.path(id, workspaceID),
      limit: .conversation,
      over: connection,
      until: deadline
    )
    guard let session = Session(json: json["session"]) else {
      throw .malformedAnswer(server: serverName, what: "session")
    }
    return (session, json["trace"])
  }

  /// `POST …/stop`: ends the session, its turn included.
  package func stopSession(
    _ id: String,
    workspaceID: String,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) {
    let path = Self.path(id, workspaceID) + "/stop"
    let json = try await callSession(
      id,
      "POST",
      path,
      body: [:],
      over: connection,
      until: deadline
    )
    guard json["ok"] == true else {
      throw .malformedAnswer(server: serverName, what: "confirmation")
    }
  }

  /// A call about a session, which the server may not know any more.
  private func callSession(
    _ id: String,
    _ method: String,
    _ path: String,
    body: JSONValue? = nil,
    limit: AnswerLimit = .entry,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> JSONValue {
    do {
      return try await call(
        method,
        path,
        body: body,
        limit: limit,
        over: connection ?? self.connection(),
        until: deadline
      )
    } catch .refused(404, _, _) {
      throw .unknownSession(name: id)
    }
  }

  /// `DELETE /workspaces/:ws/sessions/:sid`: removes a session for good; waits for a start that is
  /// under way.
  package func deleteSession(
    _ id: String,
    workspaceID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) {
    _ = try await call("DELETE", Self.path(id, workspaceID), until: deadline)
  }

  /// The durable events of a loaded agent.
  package struct Events: Sendable {
    /// `nil` where the server's memory does not reach back so far.
    package var events: [ServerMessage]?
    /// The session as it is now, and not as it was last written down.
    package var session: Session?
    /// The counter of the latest event.
    var sequence: Int?
  }

  /// `GET …/events?since=`: the durable events after a counter; `nil` where the agent is not loaded.
  package func events(
    of id: String,
    workspaceID: String,
    since sequence: Int,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Events? {
    do {
      let path = Self.path(id, workspaceID) + "/events?since=\(sequence)"
      return try await get(
        path,
        limit: .conversation,
        over: connection,
        until: deadline
      ) { json in
        let isComplete = json["catchUpComplete"] != false
        return Events(
          events: isComplete ? json["events"].array?.compactMap(ServerMessage.init(json:)) : nil,
          session: Session(json: json["session"]),
          sequence: json["currentSeq"].int
        )
      }
    } catch .refused(404, _, _) {
      return nil
    }
  }

  /// The session as its loaded agent has it, which may be ahead of what is listed; `nil` where none
  /// is loaded.
  func liveSession(
    _ session: Session,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Session? {
    guard let workspaceID = session.workspaceID else { return nil }
    let events = try await events(
      of: session.id,
      workspaceID: workspaceID,
      since: Self.beyondAllEvents,
      over: connection,
      until: deadline
    )
    return events.map { $0.session ?? session }
  }

  /// No agent counts so far; a server has no events after it to list.
  static let beyondAllEvents = 1 << 52

  /// `GET …/tool-output/:callId/full`: all that a command has printed, where the trace has only its
  /// end; `nil` where the server has no more.
  package func wholeOutput(
    ofCall callID: String,
    in id: String,
    workspaceID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> String? {
    guard WireID.isValid(callID) else { return nil }
    do {
      let path = Self.path(id, workspaceID) + "/tool-output/\(callID)/full"
      return try await call("GET", path, limit: .conversation, until: deadline)["output"].string
    } catch .refused(404, _, _) {
      return nil
    }
  }

  /// `GET /server/info`: for how long the server has run, in whole seconds; `nil` where it does not
  /// say.
  package func uptime(until deadline: EventLoop.Instant) async throws(IntentError) -> Duration? {
    let json = try await call("GET", "/server/info", until: deadline)
    return json["uptime"].int.map { .seconds(max($0, 0)) }
  }

  /// What a second look at a prompt's delivery wants to know.
  package func sighting(
    of session: ServerSession,
    since sequence: Int?,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> PromptDelivery.Sighting {
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    let (current, trace) = try await self.session(
      session.id,
      workspaceID: workspaceID,
      until: deadline
    )
    var loaded: Events?
    if let sequence {
      loaded = try await events(
        of: session.id,
        workspaceID: workspaceID,
        since: sequence,
        until: deadline
      )
    }
    var sighting = PromptDelivery.Sighting(
      uptime: try await uptime(until: deadline),
      // An older server lists what it wrote down last; its loaded agent knows better.
      status: loaded?.session?.status ?? current.status,
      userTexts: (trace.array ?? []).filter { $0["type"] == "user" }.compactMap(\.["text"].string),
      events: loaded?.events
    )
    if sighting.status == .ready, sighting.events?.isEmpty == true {
      sighting.reportsRefusals = try await reportsRefusals(session, until: deadline)
    }
    return sighting
  }

  /// Whether the server has an event for a prompt that its agent refuses: all that can search have.
  private func reportsRefusals(
    _ session: ServerSession,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Bool {
    guard session.server.dialect != .perSession else { return false }
    let found = try await search(
      session.id,
      workspaceID: session.workspaceID,
      limit: 1,
      until: deadline
    )
    return found != nil
  }

  /// `GET /sessions/search`: the sessions in which a text occurs; `nil` on servers that cannot
  /// search.
  package func search(
    _ text: String,
    workspaceID: String?,
    limit: Int,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [SearchResult]? {
    var path = "/sessions/search?q=\(text.percentEncoded)&limit=\(min(max(1, limit), 100))"
    if let workspaceID { path += "&workspaceId=\(workspaceID)" }
    do {
      return try await get(path, limit: .list, until: deadline) { json in
        json["results"].array?.compactMap(SearchResult.init(json:)) ?? []
      }
    } catch .refused(404, _, _) {
      return nil
    }
  }

  private static func path(_ id: String, _ workspaceID: String) -> String {
    "/workspaces/\(workspaceID)/sessions/\(id)"
  }
}
