// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Queued prompts that several processes deliver at the same time.
@Suite struct OutboxProcessesTests {
  /// Begins a command in another process, whose stream opens late, and waits a second.
  private func begin(
    _ words: [String],
    in world: World,
    _ trouble: Trouble
  ) async throws -> Task<Simulation.Program.Outcome, Never> {
    trouble.at("/stream", .proceedAfter(.seconds(3)))
    let other = world.begin(words)
    try await world.pass(.seconds(1))
    trouble.end()
    return other
  }

  @Test("a prompt that another process delivers blocks later prompts for its session")
  func held() {
    inTroubledWorld { world, server, trouble in
      _ = try await world.session(on: server, queueing: "first", "second")
      try server.start()
      let other = try await begin(["outbox", "flush", "first"], in: world, trouble)
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.output == "first\tbusy\t\n", "\(flush)")
      #expect(server.heard == ["hello"])
      #expect(await other.value.status == 0)
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello", "first", "second"])
    }
  }

  @Test("a prompt that is queued while another process delivers an earlier one waits behind it")
  func queuedMeanwhile() {
    inTroubledWorld { world, server, trouble in
      let session = try await world.session(on: server, queueing: "first")
      try server.start()
      let other = try await begin(["outbox", "flush"], in: world, trouble)
      let words = ["ask", "--queue", "--json", "--session=\(session)", "second"]
      await world.oppi(words, exits: 0) { $0.json["state"] == "outbox" }
      #expect(await other.value.status == 0)
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello", "first", "second"])
    }
  }

  @Test("a prompt that another process has postponed meanwhile blocks later prompts")
  func postponed() {
    inTroubledWorld { world, server, trouble in
      _ = try await world.session(on: server, queueing: "zero", "first", "second")
      try server.start()
      try await world.pass(.seconds(60))
      let other = try await begin(["outbox", "flush", "--due"], in: world, trouble)
      trouble.at("/stream", .answer(status: 429, error: "slow down"))
      await world.oppi("outbox", "flush", "first", exits: 75)
      trouble.end()
      _ = await other.value
      #expect(server.heard == ["hello", "zero"])
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello", "zero", "first", "second"])
    }
  }

  @Test("two flushes at the same time deliver each prompt once")
  func twoFlushes() {
    inTroubledWorld { world, server, trouble in
      _ = try await world.session(on: server, queueing: "first", "second")
      try server.start()
      let other = try await begin(["outbox", "flush"], in: world, trouble)
      let third = world.begin("outbox", "flush")
      _ = await (other.value, third.value)
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello", "first", "second"])
    }
  }

  @Test("a prompt whose key another process delivers is delivered once", arguments: [true, false])
  func sameKey(isQueued: Bool) {
    inTroubledWorld { world, server, trouble in
      _ = await world.oppi("workspaces")
      let words = ["ask", "--json", "--key", "k", "-w", "demo"] + (isQueued ? ["--queue"] : [])
      let other = try await begin(words + ["hello"], in: world, trouble)
      await world.oppi(words + ["hello"], exits: 0) { $0.json["again"] == true }
      #expect(await other.value.status == 0)
      #expect(server.heard == ["hello"])
    }
  }
}
