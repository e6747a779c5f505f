// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiTestSupport

/// Turns that are longer than the tokens of their streams, which end every ten minutes.
@Suite("Turns of hours", .needs("openssl"))
struct LongTurnTests {
  @Test("a waiting ask prints the answer and nothing else")
  func wait() {
    inWorld(where: \.pace, is: .seconds(1199)) { world, server in
      let outcome = await world.oppi("ask", "--wait", "-w", "demo", "two tools", exits: 0)
      #expect(outcome.output == "Both are done.\n", "\(outcome)")
      #expect(outcome.errors.isEmpty, "\(outcome)")
      #expect(outcome.elapsed > .seconds(3 * 3600), "\(outcome)")
      #expect(server.streams > 15 && server.heard == ["two tools"])
    }
  }

  @Test("a follower prints each line once, and no notice of a connection")
  func follow() {
    inWorld(where: \.pace, is: .seconds(97)) { world, server in
      let id = try await world.session(asking: "two tools")
      let json = world.begin("follow", "--json")
      let outcome = await world.oppi("follow", "--", id, exits: 0)
      #expect(outcome.errors == "Session \(id) in demo on studio\n", "\(outcome)")
      #expect(Set(outcome.lines).count == outcome.lines.count, "\(outcome)")
      #expect(outcome.lines.contains("answer: Both are done."), "\(outcome)")
      #expect(outcome.lines.last == "turn finished", "\(outcome)")
      let lines = await json.value.jsonLines.map { $0["type"].string ?? "" }
      #expect(lines.count { $0 == "tool-finished" } == 2, "\(lines)")
      #expect(!lines.contains { $0.contains("connection") }, "\(lines)")
      #expect(server.heard == ["two tools"])
    }
  }

  @Test("a session is followed through many turns, with nothing between them")
  func forever() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let watching = world.begin("follow", "--forever", "--json", "--", id)
      for prompt in ["two tools", "todo"] {
        try await world.pass(.seconds(4000))
        await world.oppi("ask", "-s", id, prompt, exits: 0)
      }
      try await world.pass(.seconds(4000))
      await world.oppi("stop", "--session", "--", id, exits: 0)
      let outcome = await watching.value
      let types = outcome.jsonLines.map { $0["type"].string ?? "" }
      #expect(types.count { $0 == "turn-finished" } == 2, "\(outcome)")
      #expect(!types.contains { $0.contains("connection") }, "\(outcome)")
      #expect(outcome.errors.isEmpty, "\(outcome)")
      #expect(server.heard == ["hello", "two tools", "todo"])
    }
  }

  @Test("a turn that ends while its stream is replaced is reported, and a stop reaches it")
  func stop() {
    inWorld { world, server in
      let id = try await world.session(asking: "silent")
      let watching = world.begin("follow")
      try await world.pass(.seconds(3000))
      await world.oppi("stop", "--", id, exits: 0)
      let outcome = await watching.value
      #expect(outcome.status == 4, "\(outcome)")
      #expect(outcome.errors.contains("the turn was stopped"), "\(outcome)")
      #expect(server.heard == ["silent"])
    }
  }

  @Test("a revoked device stops following with status 77")
  func revoked() {
    inWorld { world, server in
      let id = try await world.session(asking: "silent")
      let watching = world.begin("follow")
      try await world.pass()
      server.revokeDevices()
      let outcome = await watching.value
      #expect(outcome.status == 77, "\(outcome)")
      #expect(server.heard == ["silent"], "\(id)")
    }
  }
}
