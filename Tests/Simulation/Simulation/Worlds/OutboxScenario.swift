// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiText
import OppiWire

/// Prompts that are queued, flushed by several programs and interrupted anywhere: each prompt
/// reaches its agent at most once and is never forgotten.
enum OutboxScenario {
  static func play(_ world: World) async throws {
    var configuration = FakeServer.Configuration.drawn(in: world, name: "studio")
    if world.happens(0.3) { configuration.limits.loadedSessionsPerWorkspace = 1 }
    let server = try await world.addServer(configuration)
    guard let workspace = server.reference?.description else { return }
    let hasShortcut = world.happens(0.5)
    if hasShortcut { await addShortcut(in: workspace, world) }
    var faults = world.drawNetworkFaults()
    world.addReadFaults(to: &faults)
    world.set(faults)
    let isRestarting = world.happens(0.5)
    let asked = await withTaskGroup(of: QueuedAsk?.self) { group in
      if isRestarting {
        group.addTask {
          await world.restart(server, within: .seconds(60), awayFor: .seconds(400))
          return nil
        }
      }
      if world.happens(0.2) { world.jumpClock(within: .seconds(100)) }
      for number in 1...(1 + world.number(below: 3)) {
        let isByShortcut = hasShortcut && world.happens(0.6)
        group.addTask { await ask(number, in: isByShortcut ? nil : workspace, world) }
      }
      for _ in 0..<world.number(below: 4) {
        group.addTask {
          await flush(world)
          return nil
        }
      }
      return await group.reduce(into: [QueuedAsk]()) { all, asked in
        if let asked { all.append(asked) }
      }
    }
    let left = try await world.calmDown()
    for asked in asked { OutboxCheck(world: world, server: server, left: left).check(asked) }
  }

  /// Adds a shortcut whose runs continue one session.
  private static func addShortcut(in workspace: String, _ world: World) async {
    let words = ["shortcuts", "add", "thread", "-w", workspace, "--session", "same", "--queue"]
    let added = await world.program().run(words + ["{{say}}"])
    world.check(added.status == 0, "the shortcut was not added: \(added.errors)")
  }

  /// Queues a prompt in a workspace or by the shortcut, mostly once; programs may die at any call,
  /// and the power may fail.
  private static func ask(_ number: Int, in workspace: String?, _ world: World) async -> QueuedAsk {
    try? await world.loop.sleep(for: world.time(upTo: .seconds(40)))
    var asked = QueuedAsk(prompt: "prompt \(number).\(world.number(below: 1 << 30))")
    var words = ["run", "--json", "thread", "--var", "say=\(asked.prompt)"]
    if let workspace { words = ["ask", "--json", "--queue", "-w", workspace] }
    if world.happens(0.5) {
      asked.key = "key-\(number)"
      words += ["--key", "key-\(number)"]
    }
    if workspace != nil {
      if world.happens(0.3) { words += ["--expires", "\(1 + world.number(below: 300))"] }
      words += ["--", asked.prompt]
    }
    let times = asked.key != nil && world.happens(0.5) ? 2 : 1
    for _ in 0..<times {
      let calls = world.happens(0.3) ? world.number(below: 120) : nil
      let outcome = await world.program(dyingAfter: calls).run(words)
      asked.outcomes.append(outcome)
      if outcome.status == nil { die(world) }
    }
    return asked
  }

  /// Flushes at a random moment within 300 s.
  static func flush(_ world: World) async {
    try? await world.loop.sleep(for: world.time(upTo: .seconds(300)))
    let calls = world.happens(0.4) ? world.number(below: 150) : nil
    let words = ["outbox", "flush", "--json"] + (world.happens(0.5) ? ["--due"] : [])
    let program = world.program(dyingAfter: calls)
    let outcome = await program.run(words)
    FlushCheck(world: world).check(outcome)
    world.checkEnd(of: program, outcome)
  }

  /// Kills a program at any point; the power may fail, too.
  static func die(_ program: Program, _ world: World) {
    program.kill()
    die(world)
  }

  private static func die(_ world: World) {
    world.mark("killed")
    if world.happens(0.5) { world.losePower() }
  }
}
