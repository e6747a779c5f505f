// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer

/// The server's machine vanishes while a program waits: no connection is refused or closed, and
/// nothing arrives any more.
enum VanishScenario {
  static func play(_ world: World) async throws {
    var configuration = FakeServer.Configuration.drawn(in: world, name: "studio")
    configuration.pace = .seconds(3600)
    let server = try await world.addServer(configuration)
    let isAsking = world.happens(0.5)
    var words = ["-w", "demo", "work for hours"]
    if isAsking {
      words = ["ask", "--wait"] + words
    } else {
      guard let session = await world.session(asking: words) else { return }
      words = ["follow", "--json", "--", session]
    }
    let program = world.program()
    let outcome = await withTaskGroup(of: Program.Outcome?.self) { group in
      group.addTask { [words] in await program.run(words) }
      // At a step of the delivery, or at any time.
      let step = world.choose([
        nil, "\"stage\":\"accepted\"", "\"stage\":\"dispatched\"", "agent_start",
      ])
      if let step { world.network.fallSilent(after: step) }
      group.addTask {
        guard step == nil || !isAsking else { return nil }
        try? await world.loop.sleep(
          for: world.time(upTo: world.choose([.seconds(1), .seconds(20)]))
        )
        var faults = Faults()
        faults.losses = 1
        world.set(faults)
        world.network.dropConnections(at: server.address)
        return nil
      }
      var outcome: Program.Outcome?
      for await ended in group { outcome = ended ?? outcome }
      return outcome
    }
    guard let outcome else { return }
    world.mark("vanished \(outcome.status ?? -1)")
    // The time to detect the silence, the timeout with a lost server, and a last try.
    world.check(outcome.elapsed <= .seconds(75 + 120 + 60), "the program took \(outcome.elapsed)")
    world.check([6, 69, 75].contains(outcome.status), "status \(outcome.status ?? -1)")
    world.checkLeavings(of: program)
  }
}
