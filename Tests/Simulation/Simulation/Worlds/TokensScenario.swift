// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiText
import OppiWire

/// Programs that share tokens, which end at any moment: all succeed, and no challenge is answered
/// twice.
enum TokensScenario {
  static func play(_ world: World) async throws {
    var configuration = FakeServer.Configuration.drawn(in: world, name: "studio", .deviceKeys)
    configuration.limits.accessTokenLifetime = world.choose([
      .seconds(15), .seconds(30), .seconds(120), .seconds(600),
    ])
    let server = try await world.addServer(configuration)
    let other = try await world.addServer(.drawn(in: world, name: "cloud"))
    var faults = world.happens(0.5) ? world.drawNetworkFaults() : .none
    faults.disk = world.happens(0.2) ? 0.1 : 0
    world.set(faults)
    let mayForget = faults.disk > 0
    let isTroubled = World.isTroubled(faults) || mayForget
    let prompts = (1...3).map { "prompt \($0).\(world.number(below: 1 << 30))" }
    let begin = (time: world.loop.now, count: server.refreshes)
    await withTaskGroup(of: Void.self) { group in
      for prompt in prompts {
        group.addTask { await ask(prompt, server, isTroubled, mayForget: mayForget, world) }
      }
      for _ in 0..<(2 + world.number(below: 4)) {
        group.addTask { await list([server, other], isTroubled, world) }
      }
      // A restarted server has forgotten its challenges, but not its tokens.
      if isTroubled, world.happens(0.3) {
        group.addTask { await world.restart(server, within: .seconds(90), awayFor: .seconds(5)) }
      }
      for _ in 0..<world.number(below: 3) { world.endTokens(of: server, within: .seconds(90)) }
    }
    try await world.calmDown()
    if !isTroubled { checkCount(of: server, since: begin, configuration, world) }
    checkNonces(server, world)
    let last = await world.program().run(["sessions"])
    world.check(last.status == 0, "the server is lost after the faults: \(last)")
  }

  private static func ask(
    _ prompt: String,
    _ server: VirtualServer,
    _ isTroubled: Bool,
    mayForget: Bool,
    _ world: World
  ) async {
    try? await world.loop.sleep(for: world.time(upTo: .seconds(60)))
    let isWaiting = world.happens(0.5)
    let words = ["ask", "--json", "-w", "studio/demo"] + (isWaiting ? ["--wait"] : [])
    let outcome = await world.program().run(words + ["--", prompt])
    DeliveryCheck(
      world: world,
      prompt: prompt,
      servers: [server],
      isTroubled: isTroubled,
      mayBeRefused: mayForget
    )
    .check(outcome, isWaiting: isWaiting)
  }

  private static func list(
    _ servers: [VirtualServer],
    _ isTroubled: Bool,
    _ world: World
  ) async {
    try? await world.loop.sleep(for: world.time(upTo: .seconds(90)))
    let command = world.choose(["workspaces", "sessions", "models"])
    let calls = isTroubled && world.happens(0.2) ? world.number(below: 120) : nil
    let program = world.program(dyingAfter: calls)
    let outcome = await program.run([command, "--json"])
    guard let status = outcome.status else { return world.mark("killed") }
    world.checkLeavings(of: program)
    world.mark("\(command) \(status)")
    world.check([0, 69, 73, 74, 75, 76].contains(status), "\(command): \(outcome)")
    guard !isTroubled else { return }
    world.check(status == 0, "\(command) without a fault: \(outcome)")
    let states = outcome.documents.first?["servers"].array?.compactMap(\.["state"].string) ?? []
    world.check(states.allSatisfy { $0 == "ok" }, "\(command) without a fault: \(states)")
  }

  /// Checks that programs share their tokens.
  private static func checkCount(
    of server: VirtualServer,
    since begin: (time: EventLoop.Instant, count: Int),
    _ configuration: FakeServer.Configuration,
    _ world: World
  ) {
    let seconds = begin.time.duration(to: world.loop.now) / .seconds(1)
    // A token is replaced after three quarters of its lifetime, and when it is refused.
    let life = configuration.limits.accessTokenLifetime / .seconds(1) * 0.7
    let limit = Int(seconds / life) + 6
    let count = server.refreshes - begin.count
    world.mark("refreshes counted")
    world.check(count <= limit, "\(count) refreshes in \(seconds) s")
  }

  /// Checks that no challenge is signed and sent a second time, unless its refresh was delayed.
  private static func checkNonces(_ server: VirtualServer, _ world: World) {
    var seen: Set<String> = []
    for request in server.requests where request.path == "/auth/refresh" && request.status != 429 {
      let nonce = (try? JSONValue(parsing: request.body))?["nonce"].string ?? ""
      world.check(seen.insert(nonce).inserted, "a challenge was answered twice")
    }
    world.mark(seen.count > 3 ? "many refreshes" : "refreshes")
  }
}
