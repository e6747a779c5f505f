// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiModel
import OppiTransport

/// Answers the requests of a host.
package struct Router: Sendable {
  package let configuration: HostConfiguration
  package let sessions: Sessions
  package let loop: EventLoop
  package let createdAt: Timestamp
  let fingerprint: Fingerprint
  let access: any HostAccess
  private let routes: [Route]
  private let startedAt: EventLoop.Instant

  init(
    _ configuration: HostConfiguration,
    _ parts: HostParts,
    fingerprint: Fingerprint,
    sessions: Sessions,
    loop: EventLoop
  ) {
    self.configuration = configuration
    self.fingerprint = fingerprint
    self.sessions = sessions
    self.loop = loop
    access = parts.access
    routes = parts.routes
    startedAt = loop.now - configuration.age
    createdAt = loop.timestamp
  }

  /// Returns the response; without a token, unknown paths are rejected like known ones.
  package func response(to request: HTTPRequest) async -> HTTPResponse {
    let path = request.path
    if path == "/health" { return .json(["ok": true, "protocol": 2]) }
    do throws(Refusal) {
      if let answer = try access.answer(to: request) { return .json(answer) }
      for route in routes where route.method == request.method {
        guard let parameters = route.path.match(path) else { continue }
        let answer = try await route.handler(Call(request: request, parameters: parameters), self)
        return .json(answer.json, status: answer.status)
      }
      throw Refusal(404, "Not found")
    } catch {
      return .error(error.status, error.text, error.members)
    }
  }

  package func workspace(_ id: String) throws(Refusal) -> Workspace {
    guard let workspace = configuration.workspaces.first(where: { $0.id == id }) else {
      throw Refusal(404, "Workspace not found")
    }
    return workspace
  }

  package func json(_ workspace: Workspace) -> JSONValue {
    workspace.json.adding([
      "systemPromptMode": "append",
      "hostMount": .string(workspace.folder ?? "~/code/\(workspace.id)"),
      "createdAt": createdAt.json,
      "updatedAt": createdAt.json,
    ])
  }

  /// What the server is and offers.
  package func info() async -> JSONValue {
    let offered: JSONValue = ["version": 1]
    let counts = await sessions.counts
    return [
      "name": .string(configuration.name),
      "version": .string(configuration.version),
      "uptime": .number(Int(startedAt.duration(to: loop.now).components.seconds)),
      "os": "linux",
      "arch": "x64",
      "hostname": .string(configuration.name),
      "configVersion": 3,
      "identity": [
        "fingerprint": .string(fingerprint.text),
        "keyId": "srv-default",
        "algorithm": "ed25519",
      ],
      "stats": [
        "workspaceCount": .number(configuration.workspaces.count),
        "activeSessionCount": .number(counts.loaded),
        "totalSessionCount": .number(counts.all),
        "skillCount": 0,
        "modelCount": .number(Model.all.count),
      ],
      "nodeVersion": "v24.3.0",
      "piVersion": "0.85.0",
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

  fileprivate func list() async -> JSONValue {
    var counts: [JSONValue] = []
    for workspace in configuration.workspaces {
      counts.append(await sessions.counts(ofWorkspace: workspace.id))
    }
    return [
      "workspaces": .array(configuration.workspaces.map(json)),
      "serverNow": loop.timestamp.json, "summaries": .array(counts),
    ]
  }

  /// An empty query has no results, except for a range of time.
  package func search(_ call: Call, hasDates: Bool = true) async -> JSONValue {
    let text = call.query["q"] ?? ""
    let limit = min(Int(call.query["limit"] ?? "") ?? 20, 100)
    var filter = SessionFilter(workspaceID: call.query["workspaceId"])
    if hasDates {
      filter.since = call.query["since"].flatMap { Int($0) }
      filter.until = call.query["until"].flatMap { Int($0) }
    }
    let isRange = filter.since != nil || filter.until != nil
    let found = await sessions.search(text, filter, listsAll: isRange)
    let order = isRange && text.isEmpty ? "updated_at_desc" : "relevance_then_recency"
    return [
      "results": .array(Array(found.prefix(max(0, limit)))),
      "query": .string(text),
      "totalResults": .number(found.count),
      "sort": .string(order),
    ]
  }

  /// The sessions of a workspace: the active ones, or the stopped ones of a range of time.
  fileprivate func sessionsByStatus(_ call: Call) async throws(Refusal) -> JSONValue {
    let workspace = try workspace(call.workspaceID)
    guard let text = call.query["status"], !text.isEmpty else {
      throw Refusal(400, "status is required")
    }
    let statuses = Set(text.split(separator: ",").map(String.init))
    guard statuses.isSubset(of: ["active", "stopped"]) else {
      throw Refusal(400, "status must include only 'active' and/or 'stopped'")
    }
    let (since, until) = (try call.number("sinceMs"), try call.number("untilMs"))
    let hasStopped = statuses.contains("stopped")
    guard !hasStopped || (since != nil && until != nil) else {
      throw Refusal(400, "sinceMs and untilMs are required when status includes stopped")
    }
    var active = SessionFilter(workspaceID: workspace.id)
    active.statuses = ["active"]
    var stopped = SessionFilter(workspaceID: workspace.id)
    (stopped.since, stopped.until) = (since, until)
    stopped.statuses = ["stopped"]
    return .object([
      "workspaceId": .string(workspace.id),
      "serverNow": loop.timestamp.json,
      "sinceMs": since.map { .number($0) },
      "untilMs": until.map { .number($0) },
      "active": statuses.contains("active") ? .array(await sessions.summaries(active)) : nil,
      "stopped": hasStopped ? .array(await sessions.summaries(stopped)) : nil,
    ])
  }
}

// MARK: - The routes

extension Router {
  /// The routes that require a token.
  package static let routes: [Route] =
    serverRoutes + listRoutes + sessionRoutes("/sessions/:sid")
    + sessionRoutes("/workspaces/:ws/sessions/:sid") + uploadRoutes

  /// The routes that servers of all times have.
  package static let serverRoutes: [Route] = [
    Route("GET", "/me") { _, router in
      (["user": "owner", "name": .string(router.configuration.name)], 200)
    },
    Route("GET", "/server/info") { _, router in (await router.info(), 200) },
    Route("GET", "/models") { _, _ in (["models": .array(Model.all.map(\.json))], 200) },
    Route("GET", "/workspaces") { _, router in (await router.list(), 200) },
    Route("GET", "/workspaces/:ws") { call, router throws(Refusal) in
      (["workspace": router.json(try router.workspace(call.workspaceID))], 200)
    },
  ]

  private static let listRoutes: [Route] = [
    Route("GET", "/sessions") { call, router throws(Refusal) in
      let list = await router.sessions.list(try call.filter())
      return (["sessions": .array(list), "serverNow": router.loop.timestamp.json], 200)
    },
    Route("GET", "/sessions/recent") { call, router throws(Refusal) in
      let filter = try call.recentFilter(now: router.loop.timestamp)
      return (["sessions": .array(await router.sessions.summaries(filter))], 200)
    },
    Route("GET", "/sessions/search") { call, router in (await router.search(call), 200) },
    Route("GET", "/workspaces/:ws/sessions") { call, router throws(Refusal) in
      (try await router.sessionsByStatus(call), 200)
    },
    Route("POST", "/workspaces/:ws/sessions") { call, router throws(Refusal) in
      let workspace = try router.workspace(call.workspaceID)
      return try await router.sessions.launch(try LaunchOrder(try call.body, in: workspace))
    },
    Route("GET", "/workspaces/:ws/attention") { call, router throws(Refusal) in
      let id = try router.workspace(call.workspaceID).id
      let attention: JSONValue = ["asks": .array(await router.sessions.asks(inWorkspace: id))]
      let now = router.loop.timestamp.json
      return (["workspaceId": .string(id), "serverNow": now, "attention": attention], 200)
    },
    // This server runs no schedules of its own.
    Route("GET", "/schedules") { _, _ in (["schedules": []], 200) },
  ]

  /// The routes of a session, with or without its workspace in the path.
  private static func sessionRoutes(_ path: String) -> [Route] {
    [
      session("GET", path) { call, router throws(Refusal) in
        let detail = try await router.sessions.detail(of: call.sessionID)
        let isWhole = call.parameters["ws"] != nil
        return isWhole ? detail : ["session": detail["session"]]
      },
      session("GET", "\(path)/read", handler: read),
      session("GET", "\(path)/trace", handler: read),
      session("GET", "\(path)/events") { call, router throws(Refusal) in
        try await router.sessions.events(of: call.sessionID, since: call.query["since"])
      },
      session("GET", "\(path)/dialogs") { call, router throws(Refusal) in
        try await router.sessions.dialogs(of: call.sessionID)
      },
      session("GET", "\(path)/tool-output/:call") { call, router throws(Refusal) in
        try await router.sessions.output(
          ofCall: call.parameters["call"] ?? "",
          in: call.sessionID,
          isWhole: call.query["full"] == "true"
        )
      },
      session("POST", "\(path)/command") { call, router throws(Refusal) in
        try await router.sessions.command(try call.body, of: call.sessionID)
      },
      session("POST", "\(path)/stop") { call, router throws(Refusal) in
        ["ok": true, "session": try await router.sessions.end(call.sessionID)]
      },
      session("POST", "\(path)/resume") { call, router throws(Refusal) in
        ["session": try await router.sessions.resume(call.sessionID)]
      },
      session("DELETE", path) { call, router throws(Refusal) in
        try await router.sessions.delete(call.sessionID)
        return ["ok": true, "deleted": ["sqliteMetadata": true, "localPiJsonlFiles": 1]]
      },
    ]
  }

  private typealias SessionHandler = @Sendable (Call, Router) async throws(Refusal) -> JSONValue

  /// A route of a session; a workspace in its path must be the session's.
  private static func session(
    _ method: String,
    _ path: String,
    handler: @escaping SessionHandler
  ) -> Route {
    Route(method, path) { call, router throws(Refusal) in
      let session = try await router.sessions.detail(of: call.sessionID)["session"]
      guard call.parameters["ws"].map({ session["workspaceId"].string == $0 }) ?? true else {
        throw Refusal(400, "Session does not belong to this workspace")
      }
      return (try await handler(call, router), 200)
    }
  }

  private static let read: SessionHandler = { call, router throws(Refusal) in
    try await router.sessions.read(
      call.sessionID,
      include: call.query["include"],
      tail: call.query["tail"]
    )
  }

  private static let announcementLimit = 64 << 10

  private static let uploadRoutes: [Route] = [
    Route("POST", "/workspaces/:ws/sessions/:sid/attachments") { call, router throws(Refusal) in
      guard call.bytes.count <= announcementLimit else {
        throw Refusal(413, "Request body too large")
      }
      let body = try call.body(invalid: 400)
      return (try await router.sessions.announceUpload(body, in: call.sessionPath), 201)
    },
    Route("PUT", "/workspaces/:ws/sessions/:sid/attachments/:upload/content") {
      call,
      router throws(Refusal) in
      let id = call.parameters["upload"] ?? ""
      return (try await router.sessions.receive(call.bytes, for: id, in: call.sessionPath), 200)
    },
  ]
}

extension Call {
  fileprivate var sessionPath: SessionPath {
    SessionPath(workspaceID: workspaceID, sessionID: sessionID)
  }

  fileprivate func filter() throws(Refusal) -> SessionFilter {
    var filter = SessionFilter(workspaceID: query["workspaceId"])
    filter.statuses = Set((query["status"] ?? "").split(separator: ",").map(String.init))
    filter.since = try number("since")
    filter.until = try number("until")
    filter.idPrefix = query["idPrefix"]
    filter.limit = try number("limit")
    guard filter.limit != 0 else { throw Refusal(400, "Invalid limit") }
    return filter
  }

  /// The filter of the overview: a number of days, or a range.
  fileprivate func recentFilter(now: Timestamp) throws(Refusal) -> SessionFilter {
    var filter = SessionFilter()
    filter.since = try number("since")
    filter.until = try number("until")
    if let days = try number("recentDays") {
      filter.since = now.moved(by: .seconds(86_400) * -days).milliseconds
    }
    return filter
  }
}
