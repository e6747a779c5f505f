// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import OppiText
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// `oppi sessions delete`.
@Suite struct SessionsDeleteTests {
  private static let old = ["sessions", "delete", "--older", "1h"]
  private static let inDemo = old + ["-w", "demo"]

  /// A member of each session that has it, by session, as reported with `--json`.
  private static func members(_ name: String, _ outcome: Program.Outcome) -> [String: String] {
    let rows = outcome.json["sessions"].array ?? []
    return Dictionary(
      rows.compactMap { row in row[name].string.map { (row["id"].string ?? "", $0) } },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private static func states(_ outcome: Program.Outcome) -> [String: String] {
    members("state", outcome)
  }

  private static func reasons(_ outcome: Program.Outcome) -> [String: String] {
    members("reason", outcome)
  }

  @Test("old sessions of the workspace are deleted, and no others", arguments: Dialect.all)
  func deletes(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let ended = try await world.session(asking: "hello")
      _ = await world.oppi("stop", "--session", "--", ended)
      let idle = try await world.session(asking: "fail")
      _ = await world.oppi("ask", "-w", "webapp", "hello")
      try await world.pass(.seconds(4000))
      let recent = try await world.session(asking: "hello")
      let outcome = await world.oppi(Self.inDemo + ["--yes", "--json"], exits: 0)
      #expect(Self.states(outcome) == [ended: "deleted", idle: "deleted"], "\(outcome)")
      #expect(server.sessionsRemoved == 2)
      let left = await world.oppi("sessions", "--json")
      let ids = left.json["sessions"].array?.compactMap(\.["id"].string) ?? []
      #expect(ids.count == 2 && ids.contains(recent), "\(left)")
      let all = await world.oppi(Self.old + ["--all-workspaces", "--yes"])
      #expect(all.status == 0 && all.lines.count == 1, "\(all)")
      #expect(all.lines.first?.contains("\tdeleted\t\twebapp\t") == true, "\(all)")
      let none = await world.oppi(Self.inDemo + ["--yes"])
      #expect(none.status == 0 && none.output.isEmpty, "\(none)")
      #expect(none.errors.contains("no session is that old"), "\(none)")
    }
  }

  @Test("a named session is deleted, however new, and no other", arguments: Dialect.all)
  func named(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let kept = try await world.session(asking: "hello")
      let id = try await world.session(asking: "hello")
      await world.oppi("sessions", "delete", "--", id, exits: 64, saying: "--yes")
      let dry = await world.oppi("sessions", "delete", "-n", "--json", "--", id)
      #expect(Self.states(dry) == [id: "planned"], "\(dry)")
      #expect(server.sessionsRemoved == 0)
      let outcome = await world.oppi("sessions", "delete", "--yes", "--json", "--", id, exits: 0)
      #expect(Self.states(outcome) == [id: "deleted"], "\(outcome)")
      await world.oppi("sessions", "delete", "--yes", "--", id, exits: 66, saying: "no session")
      let left = await world.oppi("sessions", "--json")
      #expect(left.json["sessions"].array?.map(\.["id"].string) == [kept], "\(left)")
      #expect(server.sessionsRemoved == 1)
    }
  }

  @Test("a named session that is in use is kept, which is status 75", arguments: Dialect.all)
  func namedBusy(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let running = try await world.session(asking: "silent")
      let idle = try await world.session(asking: "hello")
      let words = ["sessions", "delete", "--yes", "--json", "--", running, idle]
      let outcome = await world.oppi(words, exits: 75)
      #expect(Self.states(outcome) == [running: "kept", idle: "deleted"], "\(outcome)")
      let message = outcome.error["message"].string
      #expect(message == "studio/\(running) was not deleted: a turn runs", "\(outcome)")
    }
  }

  @Test("nothing is deleted if one of the named sessions does not exist")
  func namedUnknown() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      await world.oppi("sessions", "delete", "--yes", "--", id, "nosuch", exits: 66)
      #expect(server.sessionsRemoved == 0)
    }
  }

  @Test("a session with a prompt in the outbox is kept", arguments: Dialect.all)
  func keepsQueued(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let idle = try await world.session(asking: "hello")
      let queued = try await world.session(asking: "hello")
      await server.end(.inOrder)
      await world.oppi("ask", "--queue", "-s", "last", "later", exits: 0)
      try server.start()
      try await world.pass(.seconds(4000))
      let outcome = await world.oppi(Self.inDemo + ["--yes", "--json"], exits: 0)
      #expect(Self.states(outcome) == [queued: "kept", idle: "deleted"], "\(outcome)")
      #expect(Self.reasons(outcome) == [queued: "queued-prompt"], "\(outcome)")
      #expect(server.sessionsRemoved == 1)
    }
  }

  @Test("a session that a queued prompt of a shortcut will continue is kept")
  func keepsContinued() {
    inWorld { world, server in
      let add = ["shortcuts", "add", "x", "-w", "demo", "--session", "same", "--replace"]
      _ = await world.oppi(add + ["--queue", "later"])
      await world.lose(server)
      let kept = await world.oppi("run", "--json", "x")
      #expect(kept.json["state"] == "outbox", "\(kept)")
      try server.start()
      _ = await world.oppi(add + ["hello"])
      let session = try #require(await world.oppi("run", "-q", "x").lines.first)
      try await world.pass(.seconds(4000))
      let outcome = await world.oppi(Self.inDemo + ["--yes", "--json"])
      #expect(Self.states(outcome) == [session: "kept"], "\(outcome)")
      #expect(Self.reasons(outcome) == [session: "queued-prompt"], "\(outcome)")
    }
  }

  @Test("a running turn and a pending request keep a session", arguments: Dialect.all)
  func keepsBusy(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let running = try await world.session(asking: "silent")
      let waiting = try await world.session(asking: "question")
      try await world.pass(.seconds(100))
      let words = ["sessions", "delete", "--older", "1m", "-w", "demo", "--yes", "--json"]
      let outcome = await world.oppi(words, exits: 0)
      #expect(Self.reasons(outcome)[running] == "running", "\(outcome)")
      #expect(["waiting", "running"].contains(Self.reasons(outcome)[waiting]), "\(outcome)")
      #expect(server.sessionsRemoved == 0)
    }
  }

  @Test("nothing is deleted without an answer or --yes, or with --dry-run")
  func confirmation() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      try await world.pass(.seconds(4000))
      await world.oppi(Self.inDemo, exits: 64, saying: "--yes")
      let dry = await world.oppi(Self.inDemo + ["--dry-run"], exits: 0)
      #expect(dry.output.hasPrefix("studio/\(id)\tplanned\t\tdemo\t"), "\(dry)")
      #expect(dry.output.hasSuffix("\thello\n"), "\(dry)")
      for words in [
        [], [id, "--older", "1h"], [id, "-w", "demo"], [id, "--all-workspaces"],
        ["--older", "1h"], ["-w", "demo"], ["--older", "59s", "-w", "demo"],
        ["--older", "1h", "-w", "demo", "--all-workspaces"],
      ] {
        await world.oppi(["sessions", "delete", "--yes"] + words, exits: 64)
      }
      #expect(server.sessionsRemoved == 0)
    }
  }

  @Test(
    "a session whose agent has begun to start or to work after it was listed is kept",
    arguments: ["busy", "starting"],
    [Dialect.multiplexed, .deviceKeys]
  )
  func becameBusy(status: String, dialect: Dialect) {
    inTroubledWorld(dialect) { world, server, trouble in
      let busy = try await world.session(asking: "hello")
      let idle = try await world.session(asking: "hello")
      try await world.pass(.seconds(4000))
      trouble.begin { step in
        step.isRequest("/sessions/\(busy)/events?since=\(1 << 52)")
          ? .answer(json: [
            "events": [], "catchUpComplete": true, "currentSeq": 1,
            "session": ["id": .string(busy), "status": .string(status)],
          ]) : .proceed
      }
      let outcome = await world.oppi(Self.inDemo + ["--yes", "--json"])
      #expect(Self.states(outcome) == [busy: "kept", idle: "deleted"], "\(outcome)")
      #expect(Self.reasons(outcome) == [busy: "running"], "\(outcome)")
      #expect(outcome.status == 0 && server.sessionsRemoved == 1, "\(outcome)")
    }
  }

  @Test(
    "a session that was used after it was listed is kept",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func becameRecent(dialect: Dialect) {
    inTroubledWorld(dialect) { world, server, trouble in
      let used = try await world.session(asking: "hello")
      let idle = try await world.session(asking: "hello")
      try await world.pass(.seconds(4000))
      let list = await world.oppi("sessions", "--json").json["sessions"].array ?? []
      let row = try #require(list.first { $0["id"].string == used })
      let last = try #require(row["lastActivity"].string.flatMap { Timestamp(iso8601: $0) })
      trouble.begin { step in
        step.isRequest("/sessions/\(used)/events?since=\(1 << 52)")
          ? .answer(json: [
            "events": [], "catchUpComplete": true, "currentSeq": 1,
            "session": [
              "id": .string(used), "status": "ready",
              "lastActivity": .integer(Int64(last.milliseconds + 60_000)),
            ],
          ]) : .proceed
      }
      let outcome = await world.oppi(Self.inDemo + ["--yes", "--json"])
      #expect(Self.states(outcome) == [used: "kept", idle: "deleted"], "\(outcome)")
      #expect(Self.reasons(outcome) == [used: "recent"], "\(outcome)")
    }
  }

  @Test("a session with a request that came after it was listed is kept")
  func becameWaiting() {
    inTroubledWorld(.gated) { world, server, trouble in
      let asking = try await world.session(asking: "hello")
      let idle = try await world.session(asking: "hello")
      try await world.pass(.seconds(4000))
      trouble.begin { step in
        step.isRequest("/permissions/pending?sessionId=\(asking)")
          ? .pending([.call("late1", in: asking, "ls")]) : .proceed
      }
      let outcome = await world.oppi(Self.inDemo + ["--yes", "--json"], exits: 0)
      #expect(Self.states(outcome) == [asking: "kept", idle: "deleted"], "\(outcome)")
      #expect(Self.reasons(outcome) == [asking: "waiting"], "\(outcome)")
      #expect(server.sessionsRemoved == 1)
    }
  }

  @Test("a failure sets the exit status, and the other sessions are deleted")
  func partialFailure() {
    inTroubledWorld { world, server, trouble in
      let lost = try await world.session(asking: "hello")
      let gone = try await world.session(asking: "hello")
      let idle = try await world.session(asking: "hello")
      try await world.pass(.seconds(4000))
      trouble.begin { step in
        guard case .request(let request, _) = step, request.method == "DELETE" else {
          return .proceed
        }
        if request.target.hasSuffix(lost) { return .answer(status: 500, error: "disk full") }
        return request.target.hasSuffix(gone)
          ? .answer(status: 404, error: "Session not found") : .proceed
      }
      let outcome = await world.oppi(Self.inDemo + ["--yes", "--json"], exits: 69)
      #expect(
        Self.states(outcome) == [lost: "failed", gone: "gone", idle: "deleted"],
        "\(outcome)"
      )
      #expect(outcome.error["message"].string?.contains("disk full") == true, "\(outcome)")
      #expect(server.sessionsRemoved == 1)
    }
  }

  @Test("a server without the route is an error, and no other session is tried")
  func noRoute() {
    inTroubledWorld(.perSession) { world, server, trouble in
      for place in ["demo", "demo", "demo", "webapp", "webapp"] {
        _ = await world.oppi("ask", "-w", place, "hello")
      }
      try await world.pass(.seconds(4000))
      trouble.begin { step in
        guard case .request(let request, _) = step, request.method == "DELETE" else {
          return .proceed
        }
        return .answer(status: 404, error: "Not found")
      }
      let outcome = await world.oppi(Self.old + ["--all-workspaces", "--yes"], exits: 69)
      #expect(outcome.errorLines.count { $0.contains("studio cannot") } == 1, "\(outcome)")
      #expect(outcome.lines.contains { $0.contains("\tuntried\t") }, "\(outcome)")
      #expect(server.requests.count { $0.method == "DELETE" } == 4)
    }
  }
}

/// Why a session is kept, by the lists of its server.
@Suite struct DeleteSessionsTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  private static func obstacle(_ members: JSONObject) throws -> DeleteSessions.Obstacle? {
    let json: JSONObject = ["id": "session1", "workspaceId": "demo0001", "status": "stopped"]
    let session = try #require(Session(json: .object(json.adding(members))))
    let status = SessionStatus(session, clockOffset: .zero, approvals: [], turn: nil, question: nil)
    return DeleteSessions.obstacle(of: session, status, age: .seconds(3600), at: now)
  }

  @Test("a session is old from its age on")
  func age() throws {
    for (seconds, obstacle) in [(3599, .recent), (3600, nil)] as [(Int, DeleteSessions.Obstacle?)] {
      let last = JSONValue.integer(Int64(now(minus: seconds)))
      #expect(try Self.obstacle(["lastActivity": last]) == obstacle, "\(seconds)")
    }
  }

  private func now(minus seconds: Int) -> Int { Self.now.milliseconds - seconds * 1000 }

  @Test("a session whose agent runs in a terminal is kept, however old it is")
  func inTerminal() throws {
    let last = JSONValue.integer(Int64(now(minus: 7200)))
    #expect(try Self.obstacle(["lastActivity": last, "runtime": "pi-tui"]) == .inTerminal)
    #expect(try Self.obstacle(["lastActivity": last, "runtime": "oppi"]) == nil)
  }

  @Test("a session of which the server does not report the last use is kept")
  func unknown() throws {
    #expect(try Self.obstacle([:]) == .recent)
    #expect(try Self.obstacle(["lastActivity": 0]) == .recent)
  }
}
