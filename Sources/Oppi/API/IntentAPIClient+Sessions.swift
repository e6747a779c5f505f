// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

extension IntentAPIClient {
  func session(
    _ id: String,
    workspaceID: String?,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> (session: Session, trace: JSONValue) {
    let json = try await callSession(
      id,
      "GET",
      try path(id, workspaceID) + records.tracePath,
      limit: .conversation,
      over: connection,
      until: deadline
    )
    return (try session(in: json), json["trace"])
  }

  /// `POST …/stop`: ends the session and its turn.
  func stopSession(
    _ id: String,
    workspaceID: String,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) {
    let path = Self.path(id, workspaceID) + "/stop"
    let json = try await callSession(
      id,
      "POST",
      path,
      body: [:],
      over: connection,
      until: deadline
    )
    try checkConfirmation(json)
  }

  /// Calls a session's route; 404 means that the server does not know the session, unless the route
  /// is missing on a server that had it.
  private func callSession(
    _ id: String,
    _ method: String,
    _ path: String,
    body: JSONValue? = nil,
    limit: AnswerLimit = .entry,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> JSONValue {
    do {
      return try await call(
        method,
        path,
        body: body,
        limit: limit,
        over: connection,
        until: deadline
      )
    } catch  where error.isNotFound {
      let isAboutSession = error.reason == .refused(404, Self.sessionNotFound)
      throw records == .recent && !isAboutSession ? error : .unknownSession(name: id)
    }
  }

  /// `DELETE /workspaces/:ws/sessions/:sid`: deletes a session permanently; waits for a start in
  /// progress.
  ///
  /// - Throws: `.unknownSession` if the server does not have it, for example after an earlier
  ///   deletion.
  func deleteSession(
    _ id: String,
    workspaceID: String,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) {
    do {
      _ = try await call(
        "DELETE",
        Self.path(id, workspaceID),
        over: connection,
        until: deadline
      )
    } catch  where error.reason == .refused(404, Self.sessionNotFound) {
      throw .unknownSession(name: id)
    }
  }

  /// The durable events of a loaded agent.
  struct Events: Sendable {
    /// `nil` if the server no longer keeps events that old.
    var events: [ServerMessage]?
    /// The current session, not the stored one.
    var session: Session?
    /// The counter of the latest event.
    var sequence: Int?
    /// The agent that counts; `nil` on servers that do not name agents.
    var epoch: String?
  }

  /// `GET …/events?since=`: the durable events after a counter; `nil` if the agent is not loaded.
  func events(
    of id: String,
    workspaceID: String?,
    since sequence: Int,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Events? {
    do {
      let path = try path(id, workspaceID) + "/events?since=\(sequence)"
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
          sequence: json["currentSeq"].int,
          epoch: ServerMessage.epoch(in: json)
        )
      }
    } catch  where error.isNotFound {
      return nil
    }
  }

  /// The session as its loaded agent reports it, which may be newer than the list; `nil` if no
  /// agent is loaded.
  func liveSession(
    _ session: Session,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Session? {
    guard session.workspaceID != nil || records == .recent else { return nil }
    let events = try await events(
      of: session.id,
      workspaceID: session.workspaceID,
      since: Self.beyondAllEvents,
      over: connection,
      until: deadline
    )
    return events.map { $0.session ?? session }
  }

  /// Above every counter that occurs, so that the server has no events to list.
  static let beyondAllEvents = 1 << 52

  /// The full output of a command, of which the trace has only the end; `nil` if the server has no
  /// more.
  func wholeOutput(
    ofCall callID: String,
    in id: String,
    workspaceID: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> String? {
    guard WireID.isValid(callID),
      let path = records.path(ofOutput: callID, session: id, workspaceID: workspaceID)
    else { return nil }
    do {
      return try await call("GET", path, limit: .conversation, until: deadline)["output"].string
    } catch  where error.isNotFound {
      return nil
    }
  }

  /// The data for a second check of a prompt's delivery.
  func check(
    of session: ServerSession,
    since sequence: Int?,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> PromptDelivery.ServerCheck {
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
    // Where agents have names, the uptime says nothing more.
    let namesAgents = session.server.dialect?.stream.namesAgents == true
    var check = PromptDelivery.ServerCheck(
      uptime: namesAgents ? nil : try await uptime(until: deadline),
      // An older server lists its last stored status; its loaded agent has the current one.
      status: loaded?.session?.status ?? current.status,
      userTexts: trace.userTexts,
      events: loaded?.events
    )
    if check.status == .ready, check.events?.isEmpty == true {
      check.reportsRefusals = try await reportsRefusals(session, until: deadline)
    }
    return check
  }

  /// Whether the server has an event for a prompt that its agent refuses: true of all servers with
  /// search.
  private func reportsRefusals(
    _ session: ServerSession,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Bool {
    let stream = session.server.dialect?.stream
    guard stream != .perSession else { return false }
    if stream?.recognizesRepeats == true { return true }
    let found = try await search(
      session.id,
      workspaceID: session.workspaceID,
      limit: 1,
      until: deadline
    )
    return found != nil
  }

  /// `GET /sessions/search`: the sessions that contain a text; `nil` on servers without search.
  func search(
    _ text: String,
    workspaceID: String?,
    limit: Int,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> [SearchResult]? {
    var path = "/sessions/search?q=\(text.percentEncoded)&limit=\(min(max(1, limit), 100))"
    if let workspaceID { path += "&workspaceId=\(workspaceID)" }
    do {
      return try await get(path, limit: .list, until: deadline) { json in
        json["results"].array?.compactMap(SearchResult.init(json:)) ?? []
      }
    } catch  where error.isNotFound {
      return nil
    }
  }

  /// How the server's records of sessions are read.
  private var records: Dialect.Listing { dialect?.listing ?? .sessions }

  /// The path of a session's records.
  private func path(
    _ id: String,
    _ workspaceID: String?
  ) throws(OppiError) -> String {
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

extension JSONValue {
  /// The user messages of a trace.
  var userTexts: [String] {
    (array ?? []).filter { $0["type"] == "user" }.compactMap(\.["text"].string)
  }
}
