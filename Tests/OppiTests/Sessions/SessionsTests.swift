// SPDX-License-Identifier: MIT

import CommandTable
import FakeServer
import HTTPCodec
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// `oppi sessions`, `oppi search` and `oppi stop --idle`.
@Suite struct SessionsTests {
  @Test("sessions are listed by their states, most urgent first", arguments: Dialect.both)
  func states(dialect: Dialect) {
    inWorld(dialect) {
      $0.limits.loadedSessionsPerWorkspace = 20
      $0.limits.loadedSessions = 20
    } _: { world, server in
      let done = try await world.session(asking: "hello")
      _ = await world.oppi("stop", "--session", "--", done)
      let idle = try await world.session(asking: "hello again")
      let failed = try await world.session(asking: "empty")
      let asking = try await world.session(asking: "question")
      let waiting = try await world.session(asking: "deploy")
      let running = try await world.session(asking: "silent")
      let streams = server.streams
      let outcome = await world.oppi("sessions", "--json", exits: 0)
      let sessions = outcome.json["sessions"].array ?? []
      let states = sessions.map { [$0["id"].string ?? "", $0["state"].string ?? ""] }
      #expect(
        states == [
          [waiting, "waiting"], [asking, "waiting"], [running, "running"], [failed, "failed"],
          [idle, "idle"], [done, "done"],
        ],
        "\(outcome)"
      )
      #expect(sessions[0]["pendingApprovals"].array?.count == 1)
      #expect(sessions[0]["operation"] == .null, "a pending call is not running")
      #expect(sessions[1]["question"] == "Which tests should I run? (and 1 more)")
      #expect(sessions[3]["error"] == "the agent returned no answer")
      #expect(sessions[2]["operation"] == "Running bash: sleep 3600")
      #expect(sessions[4]["goal"] == "hello again")
      #expect(sessions[5]["loaded"] == false)
      #expect(outcome.json["places"].array?.map(\.["loaded"]) == [5])
      #expect(server.streams == streams, "a stream would suppress notifications on phones")
    }
  }

  @Test(
    "a question is found behind many sessions whose turns ended recently",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func question(dialect: Dialect) {
    inWorld(dialect, where: \.limits.loadedSessionsPerWorkspace, is: 40) { world, server in
      let asking = try await world.session(asking: "question")
      for _ in 1...9 { _ = try await world.session(asking: "hello") }
      let outcome = await world.oppi("sessions", "--state", "waiting", "--json")
      #expect(outcome.json["sessions"].array?.map(\.["id"].string) == [asking], "\(outcome)")
    }
  }

  @Test("a pipe gets session names that every command accepts, and --limit reports the rest")
  func pipe() {
    inWorld { world, server in
      let older = try await world.session(asking: "hello")
      let newer = try await world.session(asking: "hello again")
      let outcome = await world.oppi("sessions", "--limit", "1", exits: 0)
      let fields = outcome.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
      #expect(fields.map(\.first) == ["studio/\(newer)"], "\(outcome)")
      #expect(fields.first?.count == 9)
      #expect(outcome.errors.contains("1 more; list them with --limit 2"), "\(outcome)")
      await world.oppi("show", "studio/\(older)") { $0.output == "The command printed: hi\n" }
    }
  }

  @Test(
    "at 80 and 120 columns each session is one line that starts with its state, short id and age",
    arguments: Dialect.all,
    [80, 120]
  )
  func eyes(dialect: Dialect, columns: Int) {
    inWorld(dialect) { world, server in
      let long = String(repeating: "long words ", count: 20)
      let id = try await world.session(asking: long)
      _ = try await world.session(asking: "hello")
      let terminal = world.start(["sessions"], columns: columns)
      try await terminal.end(exits: 0)
      let lines = terminal.lines.map { $0.split(separator: " ").map(String.init) }
      #expect(lines.first?.prefix(3) == ["STATE", "ID", "AGE"], "\(terminal.lines)")
      try #require(lines.count == 3, "\(terminal.lines)")
      let short = try #require(lines.dropFirst().map(\.[2]).first { id.hasPrefix($0) })
      #expect(short.count == 8, "\(terminal.lines)")
      #expect(lines.dropFirst().allSatisfy { $0[4] == "s" }, "\(terminal.lines)")
      await world.oppi("show", "--json", short, exits: 0) { $0.json["sessionId"].string == id }
    }
  }

  @Test("a word that is the name of a server leads to --server")
  func serverName() {
    inWorld { world, server in
      for words in [["sessions"], ["approvals"], ["status"], ["workspaces"]] {
        let outcome = await world.oppi(words + ["studio"])
        let hint = "choose a server with: oppi \(words[0]) --server studio"
        #expect(outcome.status == 64 && outcome.errors.contains(hint), "\(outcome)")
      }
      await world.oppi("sessions", "remove", saying: "did you mean 'delete'?")
    }
  }

  @Test("--state and --workspace filter the sessions and the loaded counts")
  func chooses() {
    inWorld { world, server in
      let waiting = try await world.session(asking: "deploy")
      _ = try await world.session(asking: "hello")
      let web = await world.oppi("ask", "-q", "-w", "webapp", "hello")
      try await world.pass()
      let states = await world.oppi("sessions", "--state", "waiting", "--json")
      #expect(states.json["sessions"].array?.map(\.["id"].string) == [waiting], "\(states)")
      let place = await world.oppi("sessions", "-w", "webapp", "--json")
      #expect(place.json["sessions"].array?.map(\.["id"].string) == [web.lines.first], "\(place)")
      #expect(place.json["places"].array?.count == 1, "\(place)")
      await world.oppi("sessions", "-w", "nix", exits: 66)
      await world.oppi("sessions", "--state", "odd", exits: 64)
      await world.oppi("sessions", "--limit", "0", exits: 64)
    }
  }

  @Test("a state selects its sessions, the ended ones by both of its names")
  func filters() {
    for phase in SessionPhase.allCases {
      let states = Set(SessionState.allCases.filter { $0.includes(phase) }.map(\.rawValue))
      #expect(states == Set([phase.word, phase.rawValue, "all"]))
    }
  }

  @Test("an unreachable server is a warning, and an error if it is the only server")
  func oneAway() {
    inWorld { world, server in
      let attic = try await world.addServer(named: "attic")
      _ = await world.oppi("ask", "-q", "-w", "studio/demo", "hello")
      await attic.end(.inOrder)
      let outcome = await world.oppi("sessions", "--json", exits: 0)
      #expect(outcome.json["sessions"].array?.count == 1)
      #expect(outcome.json["errors"].array?.count == 1, "\(outcome)")
      let alone = await world.oppi("--server", "attic", "sessions", exits: 69)
      #expect(alone.errors.hasPrefix("oppi: Can't reach attic"), "\(alone)")
    }
  }

  // MARK: - Making room

  @Test(
    "--idle ends the sessions that have been idle for a minute, and no others",
    arguments: Dialect.all
  )
  func idle(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let rested = try await world.session(asking: "hello")
      let running = try await world.session(asking: "silent")
      try await world.pass(.seconds(55))
      let fresh = try await world.session(asking: "hello again")
      let outcome = await world.oppi("stop", "--idle", "--yes", "--json", exits: 0)
      #expect(outcome.json["ended"].array?.map(\.["sessionId"].string) == [rested], "\(outcome)")
      let after = await world.oppi("sessions", "--json")
      let loaded = (after.json["sessions"].array ?? []).filter { $0["loaded"] == true }
      #expect(Set(loaded.map(\.["id"].string)) == [running, fresh], "\(after)")
      await world.oppi("stop", "--idle") { $0.errors == "no session has been idle for a minute\n" }
    }
  }

  @Test("--idle can be limited to a workspace, and cannot be used with SESSION")
  func idleInWorkspace() {
    inWorld { world, server in
      _ = try await world.session(asking: "hello")
      try await world.pass(.seconds(61))
      await world.oppi("stop", "--idle", "-w", "webapp", "--json") { $0.json["ended"] == [] }
      await world.oppi("stop", "--idle", "last", exits: 64)
      await world.oppi("stop", "-w", "demo", "last", exits: 64)
      await world.oppi("stop", exits: 64)
    }
  }

  @Test(
    "--since selects the sessions that were active then or later",
    arguments: [
      ("30m", ["new"]), ("3h", ["new", "old"]), ("0s", []), ("today", ["new", "old"]),
      ("yesterday", ["new", "old"]), ("2020-01-01", ["new", "old"]), ("2099-01-01", []),
      ("2099-01-01T00:00:00Z", []), ("2020-01-01T00:00:00Z", ["new", "old"]),
    ] as [(String, [String])]
  )
  func since(time: String, names: [String]) {
    inWorld { world, server in
      await world.oppi("ask", "-w", "demo", "--name", "old", "hello", exits: 0)
      try await world.pass(.seconds(3600))
      await world.oppi("ask", "-w", "demo", "--name", "new", "fail", exits: 0)
      try await world.pass(.seconds(60))
      let list = await world.oppi("sessions", "--since", time, "--json", exits: 0)
      let found = (list.json["sessions"].array ?? []).compactMap(\.["goal"].string)
      #expect(found.sorted() == names, "\(list)")
      let failed = await world.oppi("sessions", "--since", time, "--state", "failed", "--json")
      let failures = (failed.json["sessions"].array ?? []).compactMap(\.["goal"].string)
      #expect(failures == names.filter { $0 == "new" }, "\(failed)")
    }
  }

  @Test("a time that --since cannot read is an error", arguments: ["30", "soon", "2026-1-1", ""])
  func noTime(text: String) {
    let words = ["sessions", "--since=\(text)"]
    let error = #expect(throws: UsageError.self) { try OppiTable.tool.parse(words) }
    #expect(error?.message.contains("such as yesterday") == true, "\(String(describing: error))")
  }

  @Test("today and yesterday begin at local midnight")
  func days() throws {
    let now = Timestamp(seconds: 1_800_000_000)
    let midnight = now.moved(by: .seconds(-LocalTime.minuteOfDay(at: now) * 60 - now.seconds % 60))
    for (word, days) in [("today", 0), ("yesterday", 1)] {
      let since = try SinceTime(argument: word)
      let start = midnight.moved(by: .seconds(-days * 86_400))
      #expect(since.isBefore(start, now: now), "\(word)")
      #expect(!since.isBefore(start.moved(by: .seconds(-1)), now: now), "\(word)")
    }
    #expect(try !SinceTime(argument: "today").isBefore(Timestamp(milliseconds: 0), now: now))
  }

  @Test("the time of --since itself is selected", arguments: [false, true])
  func sinceThen(isAgo: Bool) {
    let now = Timestamp.noon
    let since = isAgo ? SinceTime.ago(.seconds(60)) : .moment(.ago(60))
    #expect(since.isBefore(.ago(60), now: now) && !since.isBefore(.ago(61), now: now))
  }

  @Test("workspaces of two servers with the same id are counted separately")
  func equalPlaces() throws {
    let rows = try [UInt8(1), 2].map { number in
      SessionRow(server: try .sample(number), status: .sample("s", .idle), now: .noon)
    }
    let failures = FleetFailures([] as [Fleet.Answer<Int>])
    let report = SessionsReport(rows, limit: 9, of: rows, failures: failures)
    let counts = report.places.map { "\($0.server.name): \($0.loaded)" }
    #expect(counts == ["Server 1: 1", "Server 2: 1"])
  }

  // MARK: - Search

  @Test("a search finds sessions by their text, and shows the match")
  func search() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello to the harbour")
      _ = try await world.session(asking: "hello")
      let outcome = await world.oppi("search", "the", "HARBOUR", "--json", exits: 0)
      let found = outcome.json["sessions"].array ?? []
      #expect(found.map(\.["id"].string) == [id], "\(outcome)")
      #expect(found.first?["snippet"] == "hello to the harbour", "\(outcome)")
      #expect(found.first?["matches"] == ["the"], "\(outcome)")
      for text in ["", "  "] { await world.oppi("search", text, exits: 65, saying: "is empty") }
      await world.oppi("search", "100% & nothing?", exits: 0) { $0.errors == "no matches\n" }
      await world.oppi("search", exits: 64)
    }
  }

  @Test("a server that is too old to search is reported")
  func searchOlder() {
    inWorld(.perSession) { world, server in
      let outcome = await world.oppi("search", "hello", exits: 69)
      #expect(outcome.errors.contains("studio does not support search; it is older"), "\(outcome)")
    }
  }

  @Test("the results of all servers together are limited")
  func searchLimit() {
    inWorld { world, server in
      _ = try await world.addServer(named: "attic")
      for place in ["studio/demo", "attic/demo"] {
        await world.oppi("ask", "-q", "-w", place, "hello", exits: 0)
      }
      try await world.pass()
      for (limit, count) in [("100", 2), ("1", 1)] {
        let outcome = await world.oppi("search", "--limit", limit, "hello", "--json", exits: 0)
        #expect(outcome.json["sessions"].array?.count == count, "\(outcome)")
      }
      for limit in ["0", "101"] { await world.oppi("search", "--limit", limit, "hello", exits: 64) }
    }
  }

  @Test("a current server without a search is not called old")
  func searchMissing() {
    inWorld(.sessionSockets) {
      $0.interceptor = { step in
        guard case .request(let request, _) = step, request.target.contains("/search") else {
          return .proceed
        }
        return .answer(status: 404, error: "Not found")
      }
    } _: { world, _ in
      _ = try await world.session(asking: "hello")
      let outcome = await world.oppi("search", "hello", exits: 69)
      #expect(outcome.errors.hasPrefix("oppi: studio does not support search\n"), "\(outcome)")
    }
  }

  @Test("--exit-status also tells of a waiting session that --state does not list")
  func exitStatusOfOthers() {
    inWorld { world, server in
      _ = try await world.session(asking: "deploy")
      await world.oppi("sessions", "--exit-status", "--state", "idle", "--json", exits: 0)
    }
  }

  @Test("--exit-status tells whether a session waits; a server without an answer is an error")
  func exitStatus() {
    inWorld { world, server in
      await world.oppi("sessions", "--exit-status", exits: 1)
      _ = try await world.session(asking: "hello")
      await world.oppi("sessions", "--exit-status", exits: 1)
      _ = try await world.session(asking: "deploy")
      await world.oppi("sessions", "--exit-status", "--limit", "1", "--json", exits: 0)
      await world.oppi("sessions", "--exit-status", "-w", "webapp", exits: 1)
      let other = try await world.addServer(named: "office")
      await other.end(.inOrder)
      await world.oppi("sessions", "--exit-status", exits: 0)
      _ = await world.oppi("stop", "last")
      await world.oppi("sessions", "--exit-status", exits: 69)
    }
  }
}
