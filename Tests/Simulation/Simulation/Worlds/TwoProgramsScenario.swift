// SPDX-License-Identifier: MIT

import EventLoop
import OppiText
import OppiWire

/// Several programs that share a home: no program loses the changes of another.
enum TwoProgramsScenario {
  static func play(_ world: World) async throws {
    let server = try await world.addServer(.drawn(in: world, name: "studio"))
    let other = try await world.addServer(.drawn(in: world, name: "cloud"), isPaired: false)
    guard let invite = other.inviteText(), let workspace = server.reference?.description
    else { return }
    var faults = Faults()
    faults.latency = .milliseconds(world.number(below: 50))
    world.set(faults)
    let prompt = "prompt \(world.number(below: 1 << 30))"
    let lines = [
      ["pair", invite], ["servers", "rename", "studio", "office"],
      ["ask", "--json", "-w", workspace, "--", prompt], ["workspaces", "--json"],
      ["config", "set", "workspace", "demo"],
    ]
    let isKilling = world.happens(0.3)
    let outcomes = await withTaskGroup(of: (Int, Program.Outcome).self) { group in
      for (index, words) in lines.enumerated() {
        let calls = isKilling && index > 1 ? world.number(below: 60) : nil
        group.addTask {
          try? await world.loop.sleep(for: world.time(upTo: .milliseconds(60)))
          return (index, await world.program(dyingAfter: calls).run(words))
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    try await world.calmDown()
    world.check(outcomes[0]?.status == 0, "pairing failed while other programs ran")
    world.check(outcomes[1]?.status == 0, "renaming failed while other programs ran")
    if let asked = outcomes[2] {
      DeliveryCheck(world: world, prompt: prompt, servers: [server], isTroubled: false)
        .check(asked, isWaiting: false)
    }
    let list = await world.program().run(["servers", "list", "--json"])
    let names = list.documents.first?["servers"].array?.compactMap(\.["name"].string) ?? []
    world.check(Set(names) == ["office", "cloud"], "the names of the servers are \(names)")
  }
}
