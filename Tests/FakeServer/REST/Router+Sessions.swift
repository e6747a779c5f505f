// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - Sessions on servers with session sockets

extension Router {
  static let laterRoutes: [Route] =
    listRoutes + sessionRoutes("/sessions/:sid") + sessionRoutes("/workspaces/:ws/sessions/:sid")

  private static let listRoutes: [Route] = [
    .later("GET", "/sessions") { call, router throws(Refusal) in
      let list = await router.sessions.list(try call.filter())
      return (["sessions": .array(list), "serverNow": router.loop.timestamp.json], 200)
    },
    .later("GET", "/sessions/recent") { call, router throws(Refusal) in
      let filter = try call.recentFilter(now: router.loop.timestamp)
      return (["sessions": .array(await router.sessions.summaries(filter))], 200)
    },
    .later("GET", "/sessions/search") { call, router in (await router.search(call), 200) },
    .later("GET", "/workspaces/:ws/sessions") { call, router throws(Refusal) in
      (try await router.sessionsByStatus(call), 200)
    },
    .later("POST", "/workspaces/:ws/sessions") { call, router throws(Refusal) in
      let workspace = try router.workspace(call.workspaceID)
      return try await router.sessions.launch(try LaunchOrder(try call.body, in: workspace))
    },
    .later("GET", "/workspaces/:ws/attention") { call, router throws(Refusal) in
      let id = try router.workspace(call.workspaceID).id
      let attention: JSONValue = ["asks": .array(await router.sessions.asks(inWorkspace: id))]
      let now = router.loop.timestamp.json
      return (["workspaceId": .string(id), "serverNow": now, "attention": attention], 200)
    },
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

  private typealias SessionHandler =
    @Sendable (Call, Router) async throws(Refusal) -> JSONValue

  /// A route of a session; a workspace in its path must be the session's.
  private static func session(
    _ method: String,
    _ path: String,
    handler: @escaping SessionHandler
  ) -> Route {
    .later(method, path) { call, router throws(Refusal) in
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

  /// The sessions of a workspace: the active ones, or the stopped ones of a range of time.
  private func sessionsByStatus(_ call: Call) async throws(Refusal) -> JSONValue {
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
    var stopped = SessionFilter(workspaceID: workspace.id, since: since, until: until)
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

extension Call {
  /// A number in the query, zero or more.
  func number(_ name: String) throws(Refusal) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), number >= 0 else { throw Refusal(400, "Invalid \(name)") }
    return number
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
