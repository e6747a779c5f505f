// SPDX-License-Identifier: MIT

import OppiModel

extension Router {
  private static let sessionPath = "/workspaces/:ws/sessions/:sid"

  /// The routes that require a token.
  static let routes: [Route] = [
    Route("GET", "/me") { _, router in
      (["user": "owner", "name": .string(router.configuration.name)], 200)
    },
    Route("GET", "/server/info") { _, router in (await router.serverInfo(), 200) },
    Route("GET", "/models") { _, _ in (["models": .array(Model.all.map(\.json))], 200) },
    Route("GET", "/workspaces") { _, router in
      (await router.workspaces(), 200)
    },
    Route("GET", "/workspaces/:ws") { call, router throws(Refusal) in
      (["workspace": await router.json(try router.workspace(call.workspaceID))], 200)
    },
    Route("GET", "/sessions", if: \.isCurrent) { _, router in
      (["sessions": .array(await router.sessions.list())], 200)
    },
    Route("GET", "/sessions/search", if: \.isCurrent) { call, router in
      (await router.search(call), 200)
    },
    Route("GET", "/stream/events", if: \.hasEventCounter) { call, router throws(Refusal) in
      (try await router.events(call), 200)
    },
    Route("GET", "/policy/audit", if: \.hasGate) { call, router throws(Refusal) in
      (try await router.audit(call), 200)
    },
    Route("GET", "/policy/fallback", if: \.hasGate) { _, _ in (["fallback": "allow"], 200) },
    Route("GET", "/policy/rules", if: \.hasGate) { _, router in
      (["rules": .array(await router.sessions.permissions.rules)], 200)
    },
    Route("DELETE", "/policy/rules/:id", if: \.hasGate) { call, router throws(Refusal) in
      guard await router.sessions.removeRule(call.parameters["id"] ?? "") else {
        throw Refusal(404, "Rule not found")
      }
      return (["ok": true], 200)
    },
    Route("GET", "/workspaces/:ws/sessions") { call, router throws(Refusal) in
      try await router.listSessions(call)
    },
    Route("POST", "/workspaces/:ws/sessions") { call, router throws(Refusal) in
      try await router.createSession(call)
    },
    Route("GET", sessionPath) { call, router throws(Refusal) in
      (try await router.sessions.detail(of: call.sessionID), 200)
    },
    Route("DELETE", sessionPath) { call, router throws(Refusal) in
      try await router.sessions.delete(call.sessionID)
      return (["ok": true], 200)
    },
    Route("POST", "\(sessionPath)/stop") { call, router throws(Refusal) in
      (["ok": true, "session": try await router.sessions.end(call.sessionID)], 200)
    },
    Route("POST", "\(sessionPath)/resume") { call, router throws(Refusal) in
      (["session": try await router.sessions.resume(call.sessionID, in: call.workspaceID)], 200)
    },
    Route("GET", "\(sessionPath)/events") { call, router throws(Refusal) in
      (try await router.sessions.events(of: call.sessionID, since: call.query["since"]), 200)
    },
    Route("GET", "/permissions/pending", if: \.hasGate) { call, router throws(Refusal) in
      (try await router.pendingPermissions(call), 200)
    },
    Route("POST", "/permissions/:id/respond", if: \.hasCurrentGate) {
      call,
      router throws(Refusal) in
      (try await router.respondToPermission(call), 200)
    },
  ]

  private func json(_ workspace: Workspace) async -> JSONValue {
    let dialect = configuration.dialect
    let lastModel = await sessions.choices.model(in: workspace.id)
    return workspace.json.adding([
      "skills": dialect.hasSessionSockets ? nil : [],
      "systemPromptMode": dialect.isFirst ? nil : "append",
      "hostMount": .string(workspace.folder ?? "~/code/\(workspace.id)"),
      "createdAt": createdAt.json,
      "updatedAt": createdAt.json,
      "lastUsedModel": lastModel.map(JSONValue.string),
    ])
  }

  private func workspaces() async -> JSONValue {
    var list: [JSONValue] = []
    for workspace in configuration.workspaces { list.append(await json(workspace)) }
    guard configuration.hasSessionSockets else { return ["workspaces": .array(list)] }
    var counts: [JSONValue] = []
    for workspace in configuration.workspaces {
      counts.append(await sessions.counts(ofWorkspace: workspace.id))
    }
    return [
      "workspaces": .array(list), "serverNow": loop.timestamp.json, "summaries": .array(counts),
    ]
  }

  private func serverInfo() async -> JSONValue {
    let counts = await sessions.counts
    let info: JSONValue = [
      "name": .string(configuration.name),
      "version": .string(configuration.version ?? configuration.dialect.usualVersion),
      "uptime": .number(uptime),
      "os": "linux",
      "arch": "x64",
      "hostname": .string(configuration.name),
      "configVersion": 2,
      "identity": [
        "fingerprint": .string(fingerprint.text),
        "keyId": "srv-default",
        "algorithm": "ed25519",
      ],
      "stats": [
        "workspaceCount": .number(configuration.workspaces.count),
        "activeSessionCount": .number(counts.active),
        "totalSessionCount": .number(counts.total),
        "skillCount": 0,
        "modelCount": .number(Model.all.count),
      ],
    ]
    return configuration.hasSessionSockets ? info.adding(laterInfo) : info
  }

  /// What servers with session sockets offer.
  private var laterInfo: JSONObject {
    let offered: JSONValue = ["version": 1]
    return [
      "nodeVersion": "v24.3.0",
      "piVersion": "0.85.0",
      "configVersion": 3,
      "uploadProtocol": [
        "version": 1,
        "maxFileBytes": .number(configuration.limits.uploadBytes),
        "maxTurnBytes": .number(configuration.limits.turnUploadBytes),
      ],
      "images": ["autoResize": false],
      "capabilities": [
        "sessionStream": offered, "controlSessions": offered, "appEventStream": offered,
      ],
    ]
  }
}

// MARK: - Sessions

extension Router {
  private func listSessions(_ call: Call) async throws(Refusal) -> Route.Answer {
    let workspace = try workspace(call.workspaceID)
    let list = await sessions.list(inWorkspace: workspace.id)
    return (
      [
        "sessions": .array(list),
        "workspace": await json(workspace),
        "totalCount": .number(list.count),
      ], 200
    )
  }

  /// With a prompt, waits for the agent's start and reports whether the prompt was delivered.
  ///
  /// Older servers ignore the prompt.
  private func createSession(_ call: Call) async throws(Refusal) -> Route.Answer {
    let workspace = try workspace(call.workspaceID)
    let body = try call.body
    let session = await sessions.create(
      in: workspace,
      name: body["name"].string,
      model: body["model"].string
    )
    let prompt = (body["prompt"].string ?? "").trimmingBlanks
    guard configuration.dialect.takesPromptsAtCreation, !prompt.isEmpty,
      let id = session["id"].string
    else { return (["session": session], 201) }
    let isPrompted = await sessions.prompt(prompt, thinking: body["thinking"].string, in: id)
    let detail = try await sessions.detail(of: id)
    return (["session": detail["session"], "prompted": .bool(isPrompted)], 201)
  }
}

// MARK: - Searching

extension Router {
  /// An empty query has no results, except for a range of time.
  func search(_ call: Call) async -> JSONValue {
    let text = call.query["q"] ?? ""
    let limit = min(Int(call.query["limit"] ?? "") ?? 20, 100)
    var filter = SessionFilter(workspaceID: call.query["workspaceId"])
    let hasDates = configuration.hasSessionSockets
    filter.since = hasDates ? call.query["since"].flatMap { Int($0) } : nil
    filter.until = hasDates ? call.query["until"].flatMap { Int($0) } : nil
    let isRange = filter.since != nil || filter.until != nil
    let found = await sessions.search(text, filter, listsAll: isRange)
    let order = isRange && text.isEmpty ? "updated_at_desc" : "relevance_then_recency"
    return .object([
      "results": .array(Array(found.prefix(max(0, limit)))),
      "query": .string(text),
      "totalResults": .number(found.count),
      "sort": configuration.hasSessionSockets ? .string(order) : nil,
    ])
  }
}

// MARK: - Events of all sessions

extension Router {
  private func events(_ call: Call) async throws(Refusal) -> JSONValue {
    guard let since = Int(call.query["since"] ?? "0"), since >= 0 else {
      throw Refusal(400, "since must be a non-negative integer")
    }
    let streams = await sessions.streams
    let events = streams.events(after: since)
    return [
      "events": .array(events ?? []),
      "currentSeq": .number(streams.eventCount),
      "catchUpComplete": .bool(events != nil),
    ]
  }
}

extension String {
  var trimmingBlanks: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
