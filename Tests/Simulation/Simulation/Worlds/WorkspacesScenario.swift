// SPDX-License-Identifier: MIT

import OppiText

/// All servers are listed, reachable or not.
enum WorkspacesScenario {
  static func play(_ world: World) async throws {
    var servers: [VirtualServer] = []
    for name in ["studio", "cloud", "attic"].prefix(1 + world.number(below: 3)) {
      servers.append(try await world.addServer(.drawn(in: world, name: name)))
    }
    let isCached = world.happens(0.5)
    if isCached {
      let first = await world.program().run(["workspaces", "--json"])
      world.check(first.status == 0, "the listing failed without faults")
    }
    var away: Set<String> = []
    for server in servers where world.happens(0.3) {
      await server.end(world.choose([.inOrder, .killed, .powerless]))
      away.insert(server.name)
    }
    var faults = world.drawNetworkFaults()
    world.addReadFaults(to: &faults)
    world.set(faults)
    let program = world.program(dyingAfter: world.happens(0.2) ? world.number(below: 200) : nil)
    let outcome = await program.run(["workspaces", "--json"])
    world.set(.none)
    if outcome.status == nil {
      if world.happens(0.5) { world.losePower() }
    } else {
      world.checkLeavings(of: program)
      check(outcome, servers, away, isTroubled: World.isTroubled(faults), isCached, in: world)
    }
    for server in servers where away.contains(server.name) { try server.start() }
    let last = await world.program().run(["workspaces", "--json"])
    world.check(last.status == 0, "the files of a killed program prevent the next listing")
  }

  private static func check(
    _ outcome: Program.Outcome,
    _ servers: [VirtualServer],
    _ away: Set<String>,
    isTroubled: Bool,
    _ isCached: Bool,
    in world: World
  ) {
    world.check(outcome.elapsed <= .milliseconds(5500), "the list took \(outcome.elapsed)")
    let isReadable = world.disk.misreadings.isEmpty
    guard let json = outcome.documents.first else {
      let isTold = [74, 78].contains(outcome.status)
      return world.check(!isReadable && isTold, "the list is missing: \(outcome)")
    }
    for server in servers {
      let entry = json["servers"].array?.first { $0["name"].string == server.name }
      let state = entry?["state"].string
      let listed = json["workspaces"].array?.count { $0["serverName"].string == server.name }
      world.mark("list \(state ?? "?")")
      switch state {
      case "ok":
        world.check(!away.contains(server.name), "\(server.name) is down, but listed as ok")
      case "stale": world.check(isCached, "stale, but never listed before")
      case "unreachable": world.check(!isCached || !isReadable, "unreachable, but listed before")
      default: world.check(false, "\(server.name) is \(state ?? "not listed")")
      }
      world.check(
        isTroubled || away.contains(server.name) || state == "ok",
        "\(server.name) is \(state ?? "?") without a fault"
      )
      let isListed = state == "ok" || state == "stale"
      world.check(listed == (isListed ? server.workspaces.count : 0), "\(listed ?? 0) workspaces")
    }
  }
}
