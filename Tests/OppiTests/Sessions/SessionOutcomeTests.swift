// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import Testing

@testable import Oppi

/// The outcomes of finished turns in `oppi sessions`.
@Suite struct SessionOutcomeTests {
  private static func room(_ configuration: inout FakeServer.Configuration) {
    configuration.limits.loadedSessionsPerWorkspace = 40
    configuration.limits.loadedSessions = 40
  }

  private func outcomes(_ world: World) async -> [String] {
    let sessions = await world.oppi("sessions", "--json").json["sessions"].array ?? []
    return sessions.map {
      "\($0["id"].string ?? "") \($0["state"].string ?? "") \($0["outcome"].string ?? "null")"
    }
  }

  @Test(
    "every failed turn is found, regardless of number and age",
    arguments: Dialect.all
  )
  func failures(dialect: Dialect) {
    inWorld(dialect) {
      Self.room(&$0)
    } _: { world, server in
      var failed: Set<String> = []
      for _ in 1...12 { failed.insert(try await world.session(asking: "fail")) }
      let idle = try await world.session(asking: "hello")
      for minutes in [0, 30] {
        try await world.pass(.seconds(minutes * 60))
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
    inWorld(.multiplexed) {
      Self.room(&$0)
    } _: { world, server in
      for prompt in ["fail", "hello", "empty"] {
        for _ in 1...4 { _ = try await world.session(asking: prompt) }
      }
      let first = await outcomes(world)
      #expect(first.filter { $0.hasSuffix("idle finished") }.count == 4)
      let before = server.requests.count
      #expect(await outcomes(world) == first)
      #expect(server.requests.count == before + 2, "only the lists of sessions and requests")
      _ = await world.oppi("ask", "-s", "last", "hello")
      try await world.pass()
      #expect(await outcomes(world) != first)
    }
  }

  @Test("a listed failure is kept when its session ends, an unlisted failure is unknown")
  func ended() {
    inWorld {
      Self.room(&$0)
    } _: { world, server in
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
      let row = await world.oppi("sessions")
      #expect(row.lines.first?.contains("\toutcome unknown\t") == true, "\(row)")
      trouble.end()
      #expect(await outcomes(world) == ["\(id) failed failed"], "a failed query is not cached")
    }
  }

  @Test("a session that an older server has lost is not counted as loaded")
  func ghosts() {
    inWorld(.perSession) {
      Self.room(&$0)
    } _: { world, server in
      for _ in 1...10 { _ = try await world.session(asking: "hello") }
      let before = await world.oppi("sessions", "--json")
      #expect(before.json["places"].array?.map(\.["loaded"]) == [10], "\(before)")
      await server.end(.killed)
      try server.start()
      let after = await world.oppi("sessions", "--json")
      #expect(after.json["places"] == [], "\(after)")
      #expect(after.json["sessions"].array?.allSatisfy { $0["state"] == "done" } == true)
    }
  }

  @Test("loaded sessions are counted if a workspace is nearly full, and with --verbose")
  func loaded() {
    inWorld {
      Self.room(&$0)
    } _: { world, server in
      for _ in 1...15 { _ = try await world.session(asking: "hello") }
      let few = await world.oppi("sessions")
      #expect(few.errors.isEmpty, "\(few)")
      let verbose = await world.oppi("sessions", "-v")
      #expect(verbose.errors.contains("loaded sessions: demo 15"), "\(verbose)")
      _ = try await world.session(asking: "hello")
      let full = await world.oppi("sessions")
      #expect(full.errors.contains("loaded sessions: demo 16"), "\(full)")
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
