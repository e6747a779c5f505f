// SPDX-License-Identifier: MIT

import OppiHost
import OppiText
import OppiWire
import Synchronization

/// The routes of REST.
extension FakeVariant {
  var routes: [Route] {
    guard !dialect.hasSessionSockets else { return [Self.schedules] + Route.all }
    return serverRoutes + listRoutes + sessionRoutes + permissionRoutes + Route.serverRoutes
  }

  /// Today's servers can run schedules.
  private static let schedules = Route("GET", "/schedules") { _, _ in .json(["schedules": []]) }

  // MARK: - The server

  private var serverRoutes: [Route] {
    [
      // Older servers tell nothing of what they offer.
      Route("GET", "/server/info") { _, sessions in
        .json(sessions.info.removing(["uploadProtocol", "capabilities"]))
      },
      Route("GET", "/stream/events") { [self] call, _ throws(Refusal) in
        let since = try call.number("since", or: "since must be a non-negative integer") ?? 0
        let log = state.withLock(\.streams.log)
        let events = log.events(after: since)
        return .json([
          "events": .array(events ?? []),
          "currentSeq": .number(log.sequence),
          "catchUpComplete": .bool(events != nil),
        ])
      },
    ]
  }

  // MARK: - Lists

  private var listRoutes: [Route] {
    let ofAll: [Route] = [
      Route("GET", "/sessions") { [self] _, sessions in
        .json(["sessions": .array(sessions.sessions().map(shown))])
      },
      Route("GET", "/sessions/search") { call, sessions in .json(sessions.search(call.query)) },
    ]
    let ofWorkspaces: [Route] = [
      Route("GET", "/workspaces/:ws/file-index") { _, _ in .json(Route.files) },
      Route("GET", "/workspaces/:ws/sessions") { [self] call, sessions throws(Refusal) in
        let workspace = try sessions.workspace(call.parameters["ws"])
        return .json(["sessions": .array(sessions.sessions(in: workspace.id).map(shown))])
      },
      Route("POST", "/workspaces/:ws/sessions") { [self] call, sessions throws(Refusal) in
        let workspace = try sessions.workspace(call.parameters["ws"])
        return .json(try await create(try call.body, in: workspace, sessions), status: 201)
      },
    ]
    return configuration.isCurrent ? ofAll + ofWorkspaces : ofWorkspaces
  }

  /// With a prompt, waits for the agent's start and reports whether the prompt was delivered.
  ///
  /// The first servers ignore the prompt.
  private func create(
    _ body: JSONValue,
    in workspace: Workspace,
    _ sessions: isolated Sessions
  ) async throws(Refusal) -> JSONValue {
    let (name, model) = (body["name"].string, body["model"].string)
    let session = sessions.makeSession(in: workspace, name: name, model: model)
    let prompt = (body["prompt"].string ?? "").trimmingBlanks
    guard !dialect.isFirst, !prompt.isEmpty else { return ["session": shown(session)] }
    _ = try? await sessions.start(session)
    if let agent = session.agent {
      if let thinking = body["thinking"].string {
        session.thinkingLevel = thinking
        remember(thinkingLevel: thinking, of: session.model)
      }
      session.record.count(prompt, on: loop)
      sessions.hand(MessageQueue.Item(message: prompt, on: loop), to: agent)
    }
    return ["session": shown(session), "prompted": .bool(session.agent != nil)]
  }

  // MARK: - Sessions

  private var sessionRoutes: [Route] {
    [
      session("GET", "") { [self] _, session, _ in
        ["session": shown(session), "trace": .array(session.trace)]
      },
      session("DELETE", "") { _, session, sessions in
        await sessions.delete(session)
        return ["ok": true]
      },
      session("POST", "/stop") { [self] _, session, sessions in
        await sessions.endSlowly(session)
        return ["ok": true, "session": shown(session)]
      },
      session("GET", "/events") { call, session, sessions throws(Refusal) in
        try sessions.events(of: session, call)
      },
    ]
  }

  private func session(
    _ method: String,
    _ rest: String,
    answer:
      @escaping @Sendable (Call, LiveSession, isolated Sessions) async throws(Refusal) -> JSONValue
  ) -> Route {
    Route(method, "/workspaces/:ws/sessions/:sid\(rest)") { call, sessions throws(Refusal) in
      .json(try await answer(call, try sessions.session(call.parameters["sid"]), sessions))
    }
  }
}
