// SPDX-License-Identifier: MIT

import EventLoop
import OppiWire

/// A prompt for a new or an existing session, under random faults.
enum AskScenario {
  static func play(_ world: World) async throws {
    let server = try await world.addServer(
      .drawn(in: world, name: "studio"),
      addresses: world.happens(0.3) ? ["10.9.9.9"] : []
    )
    let isExisting = world.happens(0.5)
    var words = ["ask", "--json"]
    if isExisting {
      let first = ["-w", "demo", "first things first"]
      guard let session = await world.session(asking: first) else { return }
      // Its turn may still be running.
      if world.happens(0.5) { try? await world.loop.sleep(for: .seconds(120)) }
      words += ["-s", session]
    } else {
      words += ["-w", "demo"]
    }
    let isWaiting = world.happens(0.4)
    if isWaiting { words.append("--wait") }
    if world.happens(0.2) { words += ["-t", "high"] }
    let kind = world.choose(["prompt", "prompt", "retry", "fail", "empty"])
    let prompt = "\(kind) \(world.number(below: 1 << 30))"
    words += ["--", prompt]
    let story = try await perform(words, on: server, in: world)
    try await world.calmDown()
    DeliveryCheck(
      world: world,
      prompt: prompt,
      servers: [server],
      isTroubled: story.isTroubled,
      mustFail: isWaiting && ["fail", "empty"].contains(kind),
      mayFail: isWaiting && kind == "retry" && story.isTroubled,
      mayBeRefused: story.isClockSet
    )
    .check(story.outcome, isWaiting: isWaiting)
  }

  typealias Story = (outcome: Program.Outcome, isTroubled: Bool, isClockSet: Bool)

  /// Runs a command under random faults.
  static func perform(
    _ words: [String],
    on server: VirtualServer,
    in world: World
  ) async throws -> Story {
    var faults = world.drawNetworkFaults()
    world.addReadFaults(to: &faults)
    world.set(faults)
    let isClockSet = world.happens(0.2)
    if isClockSet { world.jumpClock(within: .seconds(10)) }
    if world.happens(0.2) { world.endTokens(of: server, within: .seconds(10)) }
    let isRestarting = world.happens(0.4)
    let isStopping = server.dialect.stream == .session && world.happens(0.15)
    let calls = world.happens(0.2) ? world.number(below: 150) : nil
    let program = world.program(dyingAfter: calls)
    let outcome = await withTaskGroup(of: Program.Outcome?.self) { group in
      if isRestarting {
        group.addTask {
          await world.restart(server, within: .seconds(14), awayFor: .seconds(40))
          return nil
        }
      }
      if isStopping {
        group.addTask {
          await world.restartAgents(of: server, within: .seconds(14))
          return nil
        }
      }
      group.addTask { await program.run(words) }
      var outcome: Program.Outcome?
      for await ended in group { outcome = ended ?? outcome }
      return outcome
    }
    guard let outcome else { throw CancellationError() }
    world.checkEnd(of: program, outcome)
    let isTroubled = isRestarting || isStopping || World.isTroubled(faults)
    return (outcome, isTroubled, isClockSet)
  }
}
