// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// `oppi stop --idle` on slow servers.
@Suite struct StopIdleTests {
  private func inSlowWorld(
    _ dialect: Dialect = .deviceKeys,
    _ body: @escaping @Sendable (World, Set<String>) async throws -> Void
  ) {
    inWorld(dialect) {
      $0.limits.loadedSessionsPerWorkspace = 40
      $0.limits.loadedSessions = 40
      $0.limits.sessionEnd = .seconds(2)
    } _: { world, server in
      var sessions: Set<String> = []
      for _ in 1...20 { sessions.insert(try await world.session(asking: "hello")) }
      try await world.pass(.seconds(60))
      try await body(world, sessions)
    }
  }

  @Test(
    "all idle sessions are ended, however long it takes",
    arguments: Dialect.all
  )
  func all(dialect: Dialect) {
    inSlowWorld(dialect) { world, sessions in
      let outcome = await world.oppi("stop", "--idle", "--yes", "--json", exits: 0)
      let ended = outcome.json["ended"].array?.compactMap(\.["sessionId"].string) ?? []
      #expect(Set(ended) == sessions && ended.count == 20, "\(outcome)")
      #expect(outcome.elapsed > .seconds(5), "\(outcome)")
    }
  }

  private static func loaded(_ world: World) async -> [String?] {
    let list = await world.oppi("sessions", "--json")
    return (list.json["sessions"].array ?? []).filter { $0["loaded"] == true }
      .map(\.["id"].string)
  }

  @Test("without a terminal sessions of all servers are ended only with --yes")
  func confirmation() {
    inWorld { world, _ in
      let failed = try await world.session(asking: "fail")
      try await world.pass(.seconds(61))
      await world.oppi("stop", "--idle", exits: 64, saying: "add --yes")
      await world.oppi("stop", "--idle", "--json", exits: 64, saying: "add --yes")
      #expect(await Self.loaded(world) == [failed])
      await world.oppi("stop", "--idle", "--yes", exits: 0)
      #expect(await Self.loaded(world) == [])
      _ = try await world.session(asking: "hello")
      try await world.pass(.seconds(61))
      await world.oppi("stop", "--idle", "-w", "demo", exits: 0)
      #expect(await Self.loaded(world) == [])
    }
  }

  @Test("a session that becomes idle during the question is not ended")
  func becameIdle() {
    inWorld { world, _ in
      _ = try await world.session(asking: "hello")
      try await world.pass(.seconds(61))
      let flow = EndIdleSessions(world.services.fleet(of: [try world.paired]))
      let shown = await flow.idle().flatMap { answer in
        (answer.value ?? []).map { SessionID(serverID: answer.server.id, sessionID: $0.id) }
      }
      #expect(shown.count == 1)
      let later = try await world.session(asking: "hello")
      try await world.pass(.seconds(61))
      _ = await flow.answers(inWorkspace: nil, only: Set(shown))
      #expect(await Self.loaded(world) == [later])
    }
  }

  @Test("an agent rests after a minute without a turn, a question or a terminal")
  func rest() throws {
    let now = Timestamp(seconds: 1_790_000_000)
    func isAtRest(
      for seconds: Int = 60,
      _ name: String = "name",
      _ value: JSONValue = "any"
    ) throws -> Bool {
      let activity = now.moved(by: .seconds(-seconds))
      var json: JSONObject = [:]
      json["id"] = "s"
      json["status"] = "ready"
      json["lastActivity"] = .integer(Int64(activity.milliseconds))
      json[name] = value
      return EndIdleSessions.isAtRest(try #require(Session(json: .object(json))), at: now)
    }
    #expect(try isAtRest())
    #expect(try !isAtRest(for: 59))
    for status in ["starting", "busy", "stopping", "stopped", "error"] {
      #expect(try !isAtRest("status", .string(status)), "\(status)")
    }
    #expect(try !isAtRest("pendingAskCount", 1))
    #expect(try !isAtRest("runtime", "pi-tui"))
  }

  @Test("a session that works again since it was listed is not ended")
  func listedBefore() {
    inTroubledWorld { world, server, trouble in
      let id = try await world.session(asking: "silent")
      let workspace = server.workspaces[0].id
      trouble.begin { step in
        guard case .request(let request, _) = step, request.method == "GET",
          request.target.hasPrefix("/sessions/recent")
        else { return .proceed }
        let listed: JSONValue = [
          "id": .string(id), "status": "ready", "workspaceId": .string(workspace),
          "lastActivity": 0,
        ]
        return .answer(json: ["sessions": [listed]])
      }
      await world.oppi("stop", "--idle", "--yes", "--json", exits: 0) { $0.json["ended"] == [] }
      #expect(!server.requests.contains { $0.path.hasSuffix("/stop") })
    }
  }

  @Test("--timeout limits the whole command, and the remaining sessions are reported")
  func timeout() {
    inSlowWorld { world, sessions in
      let outcome = await world.oppi("--timeout", "3s", "stop", "--idle", "--yes", exits: 75)
      #expect(outcome.elapsed < .seconds(4), "\(outcome)")
      #expect(outcome.errors.contains("not tried") || outcome.errors.contains("--timeout elapsed"))
      #expect(!outcome.errors.contains("check that the server is running"), "\(outcome)")
      await world.oppi("stop", "--idle", "--yes", exits: 0)
    }
  }
}
