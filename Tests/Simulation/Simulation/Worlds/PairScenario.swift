// SPDX-License-Identifier: MIT

import OppiText

/// Pairing through cuts, kills and power losses.
enum PairScenario {
  static func play(_ world: World) async throws {
    let old = try await world.addServer(.drawn(in: world, name: "studio"))
    let server = try await world.addServer(.drawn(in: world, name: "cloud"), isPaired: false)
    guard let invite = server.inviteText() else { return }
    var faults = world.drawNetworkFaults()
    if world.happens(0.3) { faults.disk = 0.1 }
    world.set(faults)
    let program = world.program(dyingAfter: world.happens(0.5) ? world.number(below: 90) : nil)
    let outcome = await program.run(["pair", "--json", invite])
    world.set(.none)
    world.check(outcome.elapsed <= .seconds(16), "pairing took \(outcome.elapsed)")
    let isToldPaired = outcome.output.contains("\"renewed\"")
    if outcome.status == nil || world.happens(0.3) {
      if world.happens(0.7) { world.losePower() }
    } else {
      world.checkLeavings(of: program)
    }
    if outcome.status == 0 { world.check(isToldPaired, "paired, but not reported") }
    await check(old, server, isToldPaired: isToldPaired, in: world)
  }

  /// Checks that the old server is still paired, and the new server too if that was reported.
  private static func check(
    _ old: VirtualServer,
    _ server: VirtualServer,
    isToldPaired: Bool,
    in world: World
  ) async {
    let list = await world.program().run(["workspaces", "--json"])
    world.check(list.status == 0, "servers cannot be listed after pairing")
    guard let json = list.documents.first else { return }
    func state(_ server: VirtualServer) -> String? {
      json["servers"].array?.first { $0["name"].string == server.name }?["state"].string
    }
    world.check(state(old) == "ok", "the other server is \(state(old) ?? "lost")")
    world.mark("paired \(state(server) ?? "not")")
    if isToldPaired {
      world.check(state(server) == "ok", "reported as paired, but is \(state(server) ?? "lost")")
    }
    world.check(state(server) == nil || state(server) == "ok", "the server is paired incompletely")
  }
}
