// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Turns whose server is killed, shuts down or stays away.
@Suite struct ServerLossTests {
  @Test(
    "a turn that a server crash cut off is unknown, not empty",
    arguments: Dialect.both,
    ["hello", "silent", "deploy"]
  )
  func crash(dialect: Dialect, prompt: String) {
    // The first thought is so slow that the crash interrupts it.
    let pace = prompt == "hello" ? Duration.seconds(60) : .zero
    inWorld(dialect, where: \.pace, is: pace) { world, server in
      let waiting = world.begin("ask", "-w", "demo", "--wait", "--json", prompt)
      try await world.pass()
      await server.end(.killed)
      try server.start()
      let outcome = await waiting.value
      #expect(outcome.status == 6, "\(outcome)")
      #expect(outcome.json["state"] == "unknown", "\(outcome)")
      #expect(outcome.json["response"] == .null, "\(outcome)")
      #expect(outcome.error["code"] == "outcome-unknown", "\(outcome)")
      #expect(server.heard == [prompt])
    }
  }

  @Test("a prompt in the queue of a server that was killed is unknown", arguments: Dialect.both)
  func queued(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "question")
      let waiting = world.begin("ask", "--session=\(id)", "--wait", "--json", "two tools")
      try await world.pass()
      await server.end(.killed)
      try server.start()
      let outcome = await waiting.value
      #expect(outcome.status == 6 && outcome.json["state"] == "unknown", "\(outcome)")
      #expect(server.heard == ["question"])
    }
  }

  @Test("a server that shuts down in order stops its turns", arguments: Dialect.both)
  func stoppedInOrder(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let waiting = world.begin("ask", "-w", "demo", "--wait", "--json", "silent")
      try await world.pass()
      await server.end(.inOrder)
      try server.start()
      let outcome = await waiting.value
      #expect(outcome.status == 4 && outcome.json["state"] == "stopped", "\(outcome)")
      #expect(server.heard == ["silent"])
    }
  }

  @Test("after a crash a session is idle, whatever its server lists", arguments: Dialect.both)
  func staleStatus(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "silent")
      await server.end(.killed)
      try server.start()
      let streams = server.streams
      await world.oppi("stop", "--json", "--", id) { $0.json["state"] == "idle" }
      let followed = await world.oppi("follow", "--json", "--", id, exits: 6)
      #expect(followed.jsonLines.map(\.["outcome"]) == ["unknown"], "\(followed)")
      #expect(server.streams == streams)
    }
  }

  @Test("an elapsed --timeout reports an unknown turn while the server is unreachable")
  func timeoutWhileAway() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let words = ["ask", "--session=\(id)", "--wait", "--timeout", "1m", "--json", "slow"]
      let waiting = world.begin(words)
      try await world.pass()
      await server.end(.killed)
      let outcome = await waiting.value
      #expect(outcome.status == 124 && outcome.json["state"] == "unknown", "\(outcome)")
      let message = outcome.error["message"].string ?? ""
      #expect(message.contains("unknown") && message.contains("refused"), "\(outcome)")
    }
  }

  @Test("follow fails with 69, not 'no session', while a server is unreachable")
  func oneOfTwoIsGone() {
    inWorld { world, server in
      let office = try await world.addServer(named: "office")
      await office.end(.inOrder)
      let nothing = await world.oppi("follow", "--json", exits: 69, saying: "office")
      #expect(nothing.error["code"] == "server-unreachable", "\(nothing)")
      // A busy session is found although the other server is unreachable.
      _ = await world.oppi("ask", "-q", "-w", "studio/demo", "slow")
      await world.oppi("follow", "--timeout", "1m", exits: 124)
      #expect(server.heard == ["slow"])
    }
  }
}
