// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiHost
import OppiModel
import Synchronization

/// The routes of REST.
extension FakeVariant {
  var routes: [Route] {
    guard !dialect.hasSessionSockets else { return scheduleRoutes + Router.routes }
    return serverRoutes + listRoutes + sessionRoutes + permissionRoutes + Router.serverRoutes
  }

  // MARK: - The server

  private var serverRoutes: [Route] {
    [
      Route("GET", "/server/info") { [self] _, router in (await info(router), 200) },
      Route("GET", "/workspaces") { [self] _, router in
        var list: [JSONValue] = []
        for workspace in configuration.workspaces { list.append(await json(workspace, router)) }
        return (["workspaces": .array(list)], 200)
      },
      Route("GET", "/workspaces/:ws") { [self] call, router throws(Refusal) in
        (["workspace": await json(try router.workspace(call.workspaceID), router)], 200)
      },
      Route("GET", "/stream/events") { [self] call, _ throws(Refusal) in
        (try events(call), 200)
      },
    ]
  }

  /// Older servers tell nothing of what they offer.
  private func info(_ router: Router) async -> JSONValue {
    let info = await router.info().removing([
      "nodeVersion", "piVersion", "uploadProtocol", "images", "capabilities",
    ])
    let active = await activeCount(in: router.sessions)
    let stats = info["stats"].adding(["activeSessionCount": .number(active)])
    return info.adding(["configVersion": 2, "stats": stats])
  }

  /// On the first servers, sessions without an agent count unless they are stopped.
  private func activeCount(in sessions: isolated Sessions) -> Int {
    sessions.all.values.count { dialect.isFirst ? $0.status != .stopped : $0.agent != nil }
  }

  private func json(_ workspace: Workspace, _ router: Router) async -> JSONValue {
    let lastModel = await router.sessions.choices.model(in: workspace.id)
    return router.json(workspace)
      .removing(dialect.isFirst ? ["systemPromptMode"] : [])
      .adding(["skills": [], "lastUsedModel": lastModel.map(JSONValue.string)])
  }

  private func events(_ call: Call) throws(Refusal) -> JSONValue {
    guard let since = Int(call.query["since"] ?? "0"), since >= 0 else {
      throw Refusal(400, "since must be a non-negative integer")
    }
    let (events, count) = state.withLock {
      ($0.streams.events(after: since), $0.streams.eventCount)
    }
    return [
      "events": .array(events ?? []),
      "currentSeq": .number(count),
      "catchUpComplete": .bool(events != nil),
    ]
  }

  // MARK: - Lists

  private var listRoutes: [Route] {
    let ofAll: [Route] = [
      Route("GET", "/sessions") { [self] _, router in
        (["sessions": .array(await list(SessionFilter(), in: router.sessions))], 200)
      },
      Route("GET", "/sessions/search") { call, router in
        (await router.search(call, hasDates: false).removing(["sort"]), 200)
      },
    ]
    let ofWorkspaces: [Route] = [
      Route("GET", "/workspaces/:ws/sessions") { [self] call, router throws(Refusal) in
        let workspace = try router.workspace(call.workspaceID)
        let list = await list(SessionFilter(workspaceID: workspace.id), in: router.sessions)
        let count = JSONValue.number(list.count)
        let answer: JSONValue = [
          "sessions": .array(list), "workspace": await json(workspace, router),
          "totalCount": count,
        ]
        return (answer, 200)
      },
      Route("POST", "/workspaces/:ws/sessions") { [self] call, router throws(Refusal) in
        try await create(call, router)
      },
    ]
    return configuration.isCurrent ? ofAll + ofWorkspaces : ofWorkspaces
  }

  private func list(_ filter: SessionFilter, in sessions: isolated Sessions) -> [JSONValue] {
    sessions.sessions(filter).map(shown)
  }

  /// With a prompt, waits for the agent's start and reports whether the prompt was delivered.
  ///
  /// The first servers ignore the prompt.
  private func create(_ call: Call, _ router: Router) async throws(Refusal) -> Route.Answer {
    let workspace = try router.workspace(call.workspaceID)
    let body = try call.body
    let session = await create(body, in: workspace, router.sessions)
    let prompt = (body["prompt"].string ?? "").trimmingBlanks
    guard !dialect.isFirst, !prompt.isEmpty, let id = session["id"].string else {
      return (["session": session], 201)
    }
    let thinking = body["thinking"].string
    let isPrompted = await start(id, with: prompt, thinking: thinking, router.sessions)
    let detail = try await detail(of: id, in: router.sessions)
    return (["session": detail["session"], "prompted": .bool(isPrompted)], 201)
  }

  private func create(
    _ body: JSONValue,
    in workspace: Workspace,
    _ sessions: isolated Sessions
  ) -> JSONValue {
    let (name, model) = (body["name"].string, body["model"].string)
    return shown(sessions.makeSession(in: workspace, name: name, model: model))
  }

  /// Accepts a prompt over REST and loads the agent; returns false if that fails.
  private func start(
    _ id: String,
    with prompt: String,
    thinking: String?,
    _ sessions: isolated Sessions
  ) async -> Bool {
    guard let session = sessions.all[id], (try? await sessions.start(session)) != nil,
      let agent = session.agent
    else { return false }
    if let thinking {
      session.thinkingLevel = thinking
      sessions.choices.choose(thinkingLevel: thinking, of: session.model)
    }
    session.count(prompt)
    sessions.hand(MessageQueue.Item(message: prompt, on: loop), to: agent, in: session)
    return true
  }

  // MARK: - Sessions

  private var sessionRoutes: [Route] {
    let path = "/workspaces/:ws/sessions/:sid"
    return [
      Route("GET", path) { [self] call, router throws(Refusal) in
        (try await detail(of: call.sessionID, in: router.sessions), 200)
      },
      Route("DELETE", path) { call, router throws(Refusal) in
        try await router.sessions.delete(call.sessionID)
        return (["ok": true], 200)
      },
      Route("POST", "\(path)/stop") { [self] call, router throws(Refusal) in
        _ = try await router.sessions.end(call.sessionID)
        let detail = try await detail(of: call.sessionID, in: router.sessions)
        return (["ok": true, "session": detail["session"]], 200)
      },
      Route("POST", "\(path)/resume") { [self] call, router throws(Refusal) in
        let session = try await detail(of: call.sessionID, in: router.sessions)["session"]
        guard session["workspaceId"].string == call.workspaceID else {
          throw Refusal(400, "Session does not belong to this workspace")
        }
        _ = try await router.sessions.resume(call.sessionID)
        let detail = try await detail(of: call.sessionID, in: router.sessions)
        return (["session": detail["session"]], 200)
      },
      Route("GET", "\(path)/events") { call, router throws(Refusal) in
        (try await router.sessions.events(of: call.sessionID, since: call.query["since"]), 200)
      },
    ]
  }

  private func detail(
    of id: String,
    in sessions: isolated Sessions
  ) throws(Refusal) -> JSONValue {
    let session = try sessions.session(id)
    return ["session": shown(session), "trace": .array(session.trace.entries)]
  }
}
