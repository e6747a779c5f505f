// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiWire

/// Prompts for full workspaces: prompts for other workspaces are delivered, and a flush tries a
/// full workspace once.
enum FullScenario {
  static func play(_ world: World) async throws {
    var configuration = FakeServer.Configuration.drawn(in: world, name: "studio")
    configuration.limits.loadedSessionsPerWorkspace = 1 + world.number(below: 2)
    let server = try await world.addServer(configuration)
    let workspaces = server.workspaces.map(\.id)
    var asked: [QueuedAsk] = []
    for number in 1...(3 + world.number(below: 4)) {
      var one = QueuedAsk(prompt: "prompt \(number).\(world.number(below: 1 << 30))")
      let words = ["ask", "--json", "--queue", "-w", world.choose(workspaces), "--", one.prompt]
      one.outcomes.append(await world.program().run(words))
      asked.append(one)
      try await world.loop.sleep(for: world.time(upTo: .seconds(40)))
      if world.happens(0.2) { await makeRoom(world) }
    }
    let faults = world.drawNetworkFaults()
    if world.happens(0.5) { world.set(faults) }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0...world.number(below: 3) { group.addTask { await OutboxScenario.flush(world) } }
      if world.happens(0.5) {
        group.addTask {
          try? await world.loop.sleep(for: world.time(upTo: .seconds(300)))
          await makeRoom(world)
        }
      }
    }
    let left = try await world.calmDown()
    for asked in asked { OutboxCheck(world: world, server: server, left: left).check(asked) }
  }

  private static func makeRoom(_ world: World) async {
    _ = await world.program().run(["stop", "--idle", "--yes"])
  }
}
