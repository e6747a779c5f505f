// SPDX-License-Identifier: MIT

import EventLoop
package import OppiText
package import OppiWire

extension Route {
  /// The routes that require a token.
  package static let all = serverRoutes + listRoutes + sessionRoutes

  /// The routes that servers of all times have.
  package static let serverRoutes: [Route] = [
    Route("GET", "/me") { _, sessions in
      .json(["user": "owner", "name": .string(sessions.configuration.name)])
    },
    Route("GET", "/server/info") { _, sessions in .json(sessions.info) },
    Route("GET", "/models") { _, _ in .json(["models": .array(Model.all.map(\.json))]) },
    Route("GET", "/workspaces") { _, sessions in
      let workspaces = sessions.configuration.workspaces.map(sessions.json)
      return .json(["workspaces": .array(workspaces), "serverNow": sessions.loop.timestamp.json])
    },
  ]

  /// The files of each workspace.
  package static let files: JSONValue = [
    "paths": ["README.md", "Sources/Login.swift", "Tests/LoginTests.swift"], "truncated": false,
  ]

  private static let listRoutes: [Route] = [
    Route("GET", "/sessions") { _, sessions in
      .json(["sessions": .array(sessions.sessions().map(sessions.json))])
    },
    Route("GET", "/sessions/recent") { call, sessions throws(Refusal) in
      let days = try call.number("recentDays")
      let since = days.map { sessions.loop.timestamp.moved(by: .seconds(86_400) * -$0) }
      let list = sessions.sessions(since: since).map(sessions.summary)
      return .json(["sessions": .array(list)])
    },
    Route("GET", "/sessions/search") { call, sessions in .json(sessions.search(call.query)) },
    Route("GET", "/workspaces/:ws/paths") { _, _ in .json(files) },
    Route("POST", "/workspaces/:ws/sessions") { call, sessions throws(Refusal) in
      let workspace = try sessions.workspace(call.parameters["ws"])
      let answer = try await sessions.launch(try LaunchOrder(try call.body, in: workspace))
      return .json(answer.json, status: answer.status)
    },
    // This server runs no schedules of its own.
    Route("GET", "/schedules") { _, _ in .json(["schedules": []]) },
  ]

  private static let announcementLimit = 64 << 10

  private static let sessionRoutes = [
    session("GET", "") { call, session, sessions in
      let trace = call.parameters["ws"].map { _ in JSONValue.array(session.trace) }
      return .object(["session": sessions.json(session), "trace": trace])
    },
    session("GET", "/trace") { _, session, sessions in
      ["session": sessions.json(session), "trace": .array(session.trace)]
    },
    session("GET", "/events") { call, session, sessions throws(Refusal) in
      try sessions.events(of: session, call)
    },
    session("GET", "/dialogs") { _, session, sessions in sessions.dialogs(of: session) },
    session("GET", "/tool-output/:call") { call, session, _ throws(Refusal) in
      let isWhole = call.query["full"] == "true"
      return try session.output(ofCall: call.parameters["call"] ?? "", isWhole: isWhole)
    },
    session("POST", "/command") { call, session, sessions throws(Refusal) in
      try await sessions.command(try call.body, of: session)
    },
    session("POST", "/stop") { _, session, sessions in
      await sessions.endSlowly(session)
      return ["ok": true, "session": sessions.json(session)]
    },
    session("DELETE", "") { _, session, sessions in
      await sessions.delete(session)
      return ["ok": true]
    },
    session("POST", "/attachments", status: 201) { call, session, sessions throws(Refusal) in
      guard call.bytes.count <= announcementLimit else {
        throw Refusal(413, "Request body too large")
      }
      return try sessions.announceUpload(try call.body(invalid: 400), in: session)
    },
    session("PUT", "/attachments/:upload/content") { call, session, sessions throws(Refusal) in
      try sessions.receive(call.bytes, for: call.parameters["upload"] ?? "", in: session)
    },
  ].flatMap(\.self)

  /// The routes of a session, with its workspace in the path or without.
  private static func session(
    _ method: String,
    _ rest: String,
    status: Int = 200,
    answer:
      @escaping @Sendable (Call, LiveSession, isolated Sessions) async throws(Refusal) -> JSONValue
  ) -> [Route] {
    ["/sessions/:sid", "/workspaces/:ws/sessions/:sid"].map { path in
      Route(method, path + rest) { call, sessions throws(Refusal) in
        let session = try sessions.session(call.parameters["sid"])
        guard call.parameters["ws"].map({ session.workspace.id == $0 }) ?? true else {
          throw Refusal(400, "Session does not belong to this workspace")
        }
        return .json(try await answer(call, session, sessions), status: status)
      }
    }
  }
}

extension Sessions {
  package func workspace(_ id: String?) throws(Refusal) -> Workspace {
    guard let workspace = configuration.workspaces.first(where: { $0.id == id }) else {
      throw Refusal(404, "Workspace not found")
    }
    return workspace
  }

  package func session(_ id: String?) throws(Refusal) -> LiveSession {
    guard let session = all[id ?? ""] else { throw Refusal(404, "Session not found") }
    return session
  }

  package func json(_ workspace: Workspace) -> JSONValue {
    workspace.json.adding([
      "hostMount": .string(workspace.folder ?? "~/code/\(workspace.id)"),
      "createdAt": createdAt.json,
      "updatedAt": createdAt.json,
    ])
  }

  /// What the server is and offers.
  package var info: JSONValue {
    let offered: JSONValue = ["version": 1]
    return [
      "name": .string(configuration.name),
      "version": .string(configuration.version),
      "uptime": .number(Int(startedAt.duration(to: loop.now).components.seconds)),
      "identity": ["fingerprint": .string(fingerprint.text), "algorithm": "ed25519"],
      "uploadProtocol": [
        "version": 1,
        "maxFileBytes": .number(configuration.limits.uploadBytes),
        "maxTurnBytes": .number(configuration.limits.turnUploadBytes),
      ],
      "capabilities": [
        "sessionStream": offered, "controlSessions": offered, "appEventStream": offered,
      ],
    ]
  }
}
