// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import Synchronization
import Testing

@testable import Oppi

/// Requests with the same id on two servers, in two sessions, or twice on one server.
@Suite struct SameRequestTests {
  /// Runs a body with two servers, whose lists of requests the body sets.
  private static func inTwo(
    _ body:
      @escaping @Sendable (
        World, (server: VirtualServer, list: Trouble), (server: VirtualServer, list: Trouble)
      ) async throws -> Void
  ) {
    let (one, other) = (Trouble(), Trouble())
    inWorld(.multiplexed, where: \.interceptor, is: one.interceptor) { world, studio in
      var configuration = FakeServer.Configuration()
      configuration.name = "attic"
      configuration.interceptor = other.interceptor
      let attic = try await world.addServer(configuration)
      try await body(world, (studio, one), (attic, other))
    }
  }

  @Test(
    "an id that is pending on two servers is ambiguous unless --server selects a server",
    arguments: ["approve", "deny"]
  )
  func twoServers(verb: String) {
    Self.inTwo { world, studio, attic in
      studio.list.pending(.call("same00001111", in: "S", "rm -rf /"))
      attic.list.pending(.call("same00001111", in: "T", "ls"))
      for name in ["same00001111", "same"] {
        let both = await world.oppi("--json", verb, name, exits: 64)
        #expect(both.error["code"] == "ambiguous-name", "\(both)")
        let hints = (both.error["hints"].array ?? []).compactMap(\.string)
        #expect(hints.contains { $0.contains("studio") && $0.contains("rm -rf /") }, "\(both)")
        #expect(hints.contains { $0.contains("attic") && $0.contains("ls") }, "\(both)")
      }
      #expect(studio.server.decisions == 0 && attic.server.decisions == 0)
      _ = await world.oppi("--server", "attic", verb, "same00001111")
      #expect(studio.server.decisions == 0 && attic.server.decisions == 1)
      _ = await world.oppi("--server", "studio", verb, "same00001111")
      #expect(studio.server.decisions == 1 && attic.server.decisions == 1)
    }
  }

  @Test("an id is decided on the server on which it is pending")
  func oneServer() {
    Self.inTwo { world, studio, attic in
      studio.list.pending(.call("only00001111", in: "S", "ls"))
      attic.list.pending(.call("othr00001111", in: "T", "pwd"))
      _ = await world.oppi("deny", "othr00001111")
      #expect(studio.server.decisions == 0 && attic.server.decisions == 1)
      _ = await world.oppi("deny", "only00001111")
      #expect(studio.server.decisions == 1 && attic.server.decisions == 1)
    }
  }

  @Test("an id that a server lists twice is ambiguous")
  func twice() {
    Self.inTwo { world, studio, _ in
      studio.list.pending(
        .call("same00001111", in: "S", "ls"),
        .call("same00001111", in: "T", "rm -rf /")
      )
      let outcome = await world.oppi("approve", "same00001111")
      #expect(outcome.status == 64 && studio.server.decisions == 0, "\(outcome)")
    }
  }

  @Test("--watch reports the same call in another session and on another server")
  func watch() {
    Self.inTwo { world, studio, attic in
      studio.list.pending(.call("same00001111", in: "S", "ls"))
      attic.list.pending()
      let program = world.program()
      let watching = Task(executorPreference: world.loop) {
        await program.run(["approvals", "--watch", "--json"])
      }
      try await world.pass()
      studio.list.pending(.call("same00001111", in: "T", "ls"))
      try await world.pass()
      attic.list.pending(.call("same00001111", in: "T", "ls"))
      try await world.pass()
      program.interrupt()
      let told = await watching.value.jsonLines.map { line in
        [line["type"].string, line["sessionId"].string, line["server"]["name"].string]
      }
      #expect(
        told == [
          ["requested", "S", "studio"], ["requested", "T", "studio"], ["gone", "S", "studio"],
          ["requested", "T", "attic"],
        ]
      )
    }
  }

  @Test("a button decides nothing if the request is now in another session")
  func otherSession() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      let first = try await world.session(asking: "hello")
      let second = try await world.session(asking: "hello")
      trouble.pending(.call("same00001111", in: first, "ls"))
      let watching = try await Watching(in: world)
      let shown = try #require(watching.desktop.shown.first)
      trouble.pending(.call("same00001111", in: second, "ls"))
      #expect(watching.desktop.press("Approve", on: shown))
      try await world.pass()
      #expect(server.decisions == 0)
      #expect(watching.count(of: "Approved") == 0)
      _ = await watching.end()
    }
  }

  @Test("a button decides nothing if the server now lists the id twice")
  func twiceByNow() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      let session = try await world.session(asking: "hello")
      let shown = JSONValue.call("same00001111", in: session, "ls")
      trouble.pending(shown)
      let watching = try await Watching(in: world)
      let notification = try #require(watching.desktop.shown.first)
      for other in [shown, .call("same00001111", in: session, "rm -rf /")] {
        trouble.pending(shown, other)
        #expect(watching.desktop.press("Approve", on: notification))
        try await world.pass()
        #expect(server.decisions == 0)
      }
      _ = await watching.end()
    }
  }

  @Test("a request that changes while others are approved is not approved, and can be denied")
  func changesMeanwhile() {
    for verb in ["approve", "deny"] {
      inTroubledWorld(.multiplexed) { world, server, trouble in
        let first = JSONValue.call("frst00001111", in: "S", "ls")
        let list = [first, .call("scnd00001111", in: "T", "ls")]
        let other = [JSONValue.call("scnd00001111", in: "T", "rm -rf /")]
        let isDecided = Mutex(false)
        trouble.begin { step in
          if step.isRequest("/frst00001111/respond") {
            isDecided.withLock { $0 = true }
            return .answer(json: ["ok": true])
          }
          guard step.isRequest("/pending") else { return .proceed }
          return .pending(isDecided.withLock(\.self) ? other : list)
        }
        let outcome = await world.oppi("--json", verb, "frst00001111", "scnd00001111")
        let states = outcome.json["decisions"].array?.map(\.["state"].string) ?? []
        #expect(states == (verb == "deny" ? ["denied", "too-late"] : ["approved", "too-late"]))
        #expect(server.decisions == (verb == "deny" ? 2 : 1), "\(outcome)")
      }
    }
  }
}
