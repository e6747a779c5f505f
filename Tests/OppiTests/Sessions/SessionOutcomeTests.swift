// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The outcomes of finished turns in `oppi sessions`.
@Suite struct SessionOutcomeTests {
  /// Runs a test with a server that has room for many sessions.
  private func inRoom(
    _ dialect: Dialect = .deviceKeys,
    _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
  ) {
    inWorld(dialect) {
      $0.limits.loadedSessionsPerWorkspace = 40
      $0.limits.loadedSessions = 40
    } _: {
      try await body($0, $1)
    }
  }

  private func outcomes(_ world: World) async -> [String] {
    let sessions = await world.oppi("sessions", "--json").json["sessions"].array ?? []
    return sessions.map {
      "\($0["id"].string ?? "") \($0["state"].string ?? "") \($0["outcome"].string ?? "null")"
    }
  }

  @Test("every failed turn is found, regardless of number and age", arguments: Dialect.all)
  func failures(dialect: Dialect) {
    inRoom(dialect) { world, server in
      var failed: Set<String> = []
      for _ in 1...12 { failed.insert(try await world.session(asking: "fail")) }
      let idle = try await world.session(asking: "hello")
      // A turn that just failed on an older server may still be retried.
      for seconds in [15, 1800] {
        try await world.pass(.seconds(seconds))
        let outcome = await world.oppi("sessions", "--state", "failed", "--json")
        let sessions = outcome.json["sessions"].array ?? []
        #expect(Set(sessions.compactMap(\.["id"].string)) == failed, "\(outcome)")
        // An older server does not report the reason.
        let words = dialect == .multiplexed ? ["failed"] : ["failed", "empty"]
        #expect(sessions.allSatisfy { words.contains($0["outcome"].string ?? "") }, "\(outcome)")
        #expect(sessions.allSatisfy { $0["error"] != .null }, "\(outcome)")
        #expect(await outcomes(world).last == "\(idle) idle finished")
      }
    }
  }

  @Test("a second call does not query turns that are already known")
  func cheap() {
    inRoom { world, server in
      for prompt in ["fail", "hello", "empty"] {
        for _ in 1...4 { _ = try await world.session(asking: prompt) }
      }
      let first = await outcomes(world)
      #expect(first.filter { $0.hasSuffix("idle finished") }.count == 4)
      let before = server.requests.count
      #expect(await outcomes(world) == first)
      #expect(server.requests.count == before + 1, "only the list of sessions")
      _ = await world.oppi("ask", "-s", "last", "hello")
      try await world.pass()
      #expect(await outcomes(world) != first)
    }
  }

  @Test("a listed failure is kept when its session ends, an unlisted failure is unknown")
  func ended() {
    inRoom { world, server in
      let listed = try await world.session(asking: "fail")
      _ = await world.oppi("sessions")
      let unlisted = try await world.session(asking: "fail")
      for id in [listed, unlisted] { _ = await world.oppi("stop", "--session", "--", id) }
      #expect(await outcomes(world) == ["\(listed) failed failed", "\(unlisted) done unknown"])
    }
  }

  @Test("a session that cannot be queried is idle with an unknown outcome")
  func unknown() {
    inTroubledWorld { world, server, trouble in
      let id = try await world.session(asking: "fail")
      trouble.at("events?since=0", .drop)
      #expect(await outcomes(world) == ["\(id) idle unknown"])
      await world.oppi("sessions") { $0.lines.first?.contains("\toutcome unknown\t") == true }
      trouble.end()
      #expect(await outcomes(world) == ["\(id) failed failed"], "a failed query is not cached")
    }
  }

  @Test("a session that an older server has lost is not counted as loaded")
  func ghosts() {
    inRoom(.perSession) { world, server in
      for _ in 1...10 { _ = try await world.session(asking: "hello") }
      await world.oppi("sessions", "--json") { $0.json["places"].array?.map(\.["loaded"]) == [10] }
      await server.end(.killed)
      try server.start()
      let after = await world.oppi("sessions", "--json")
      #expect(after.json["places"] == [], "\(after)")
      #expect(after.json["sessions"].array?.allSatisfy { $0["state"] == "done" } == true)
    }
  }

  @Test("loaded sessions are counted if a workspace is nearly full, and with --verbose")
  func loaded() {
    inRoom(.multiplexed) { world, server in
      for _ in 1...15 { _ = try await world.session(asking: "hello") }
      await world.oppi("sessions") { $0.errors.isEmpty }
      await world.oppi("sessions", "-v", saying: "loaded sessions: demo 15")
      _ = try await world.session(asking: "hello")
      await world.oppi("sessions", saying: "loaded sessions: demo 16")
    }
  }

  @Test("no workspace is nearly full on a server whose limits are not known")
  func unknownLimits() {
    inRoom { world, server in
      for _ in 1...16 { _ = try await world.session(asking: "hello") }
      #expect(await world.oppi("sessions").errors.isEmpty)
      await world.oppi("sessions", "-v", saying: "loaded sessions: demo 16")
    }
  }

  @Test("the title follows the state in a pipe")
  func pipe() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let outcome = await world.oppi("sessions")
      #expect(outcome.lines.first?.hasPrefix("studio/\(id)\tidle\thello\t") == true, "\(outcome)")
    }
  }
}

/// The state of a session has one word on every surface.
@Suite struct SessionStatesTests {
  @Test(
    "while a dialog waits for the user, nothing says running",
    arguments: ["gate", "ask select", "ask confirm", "ask input"]
  )
  func waiting(prompt: String) {
    inWorld { world, server in
      let session = try await world.session(asking: prompt)
      let shown = await world.oppi("show", "--json", "--", session, exits: 3)
      #expect(shown.json["state"] == "waiting" && shown.json["phase"] == "waiting", "\(shown)")
      let calls = shown.json["turns"].array?.flatMap { $0["calls"].array ?? [] } ?? []
      #expect(!calls.contains { $0["state"] == "running" }, "\(calls)")
      let whole = await world.oppi("show", "--all", "--", session)
      #expect(whole.output.contains("(Waiting for "), "\(whole)")
      let list = await world.oppi("sessions", "--json").json["sessions"].array ?? []
      #expect(list.map(\.["phase"]) == ["waiting"], "\(list)")
      let status = await world.oppi("status")
      #expect(status.output.contains("Waiting for"), "\(status)")
      let preview = world.start(["show", "--", session])
      _ = try await preview.end()
      let chat = world.start(["chat", "-s", session])
      try await chat.see("Waiting for")
      let texts = preview.lines + chat.lines + whole.lines + status.lines
      #expect(!texts.contains { $0.lowercased().contains("running") }, "\(texts)")
      chat.type(ChatTerminal.interrupt)
    }
  }

  @Test(
    "a call that waits for approval and an open question are shown with exit status 3",
    arguments: Dialect.both
  )
  func approval(dialect: Dialect) {
    inWorld(dialect) { world, server in
      var counts: [Int] = []
      for prompt in ["deploy", "question"] {
        let session = try await world.session(asking: prompt)
        let count = server.requests.count
        let shown = await world.oppi("show", "--json", "--server", "studio", "--", session)
        counts.append(server.requests.count - count)
        #expect(shown.status == 3 && shown.json["phase"] == "waiting", "\(shown)")
        #expect(shown.json["state"] == "waiting", "\(shown)")
        let calls = shown.json["turns"].array?.last?["calls"].array ?? []
        #expect(calls.map(\.["state"]) == ["waiting"], "\(shown)")
      }
      #expect(counts.count == 2 && counts[0] == counts[1], "\(counts)")
    }
  }

  @Test("an older server's question is named by show with the commands that answer it")
  func question() {
    inWorld(.multiplexed) { world, server in
      let session = try await world.session(asking: "question")
      let shown = await world.oppi("show", "--", session, exits: 3)
      let line = "waiting for an answer: Which tests should I run? Which extras?"
      #expect(shown.errors.contains(line), "\(shown)")
      #expect(shown.errors.contains("oppi answer \(session)"), "\(shown)")
      await world.oppi("answer", session, "1", "", exits: 0)
      try await world.pass()
      await world.oppi("show", "--", session, exits: 0)
    }
  }

  @Test(
    "a question that its server does not repeat has no command that answers it, but one that stops"
  )
  func unrepeatedQuestion() {
    inWorld(.perSession) { world, _ in
      let session = try await world.session(asking: "question")
      for words in [["show", session], ["answer", session, "1", "2"]] {
        let outcome = await world.oppi(words)
        #expect(outcome.errors.contains("cancel it with: oppi stop \(session)"), "\(outcome)")
        #expect(!outcome.errors.contains("answer it with"), "\(outcome)")
      }
      await world.oppi("stop", session, exits: 0)
    }
  }

  @Test(
    "a session has the same word in lists, menus, completion and JSON",
    arguments: [
      ("silent", false, "running"), ("hello", false, "idle"), ("fail", false, "failed"),
      ("hello", true, "ended"), ("deploy", false, "waiting"),
    ]
  )
  func words(prompt: String, isEnded: Bool, word: String) {
    inWorld { world, server in
      let session = try await world.session(asking: prompt)
      // Until then, a turn that failed may be retried.
      try await world.pass(.seconds(15))
      if isEnded { _ = await world.oppi("stop", "--session", "--", session) }
      let list = await world.oppi("sessions", "--json").json["sessions"].array ?? []
      #expect(list.map(\.["phase"].string) == [word], "\(list)")
      await world.oppi("sessions") { $0.lines.first?.contains("\t\(word)\t") == true }
      let filtered = await world.oppi("sessions", "--json", "--state", word)
      #expect(filtered.json["sessions"].array?.count == 1, "\(filtered)")
      await world.oppi("show", "--json", "--", session) { $0.json["phase"].string == word }
      await world.oppi("__complete", "--", "show", "") { $0.output.contains("\(session)\t\(word)") }
      let person = MenuUser(in: world, nil)
      _ = await world.pick("sessions")
      #expect(person.seen.first?.first?.hasPrefix("\(word): ") == true, "\(person.seen)")
    }
  }

  @Test("the help has every state")
  func help() {
    inWorld { world, _ in
      let help = await world.oppi("help", "states")
      for phase in SessionPhase.allCases {
        #expect(help.output.contains("  \(phase.word) "), "\(help)")
      }
    }
  }
}
