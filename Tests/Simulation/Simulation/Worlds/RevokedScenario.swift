// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiText
import OppiWire

/// The device is revoked while a program runs: the program and all later ones report that access
/// was refused, and nothing is tried again for ever.
enum RevokedScenario {
  private enum Kind: CaseIterable {
    case ask
    case wait
    case queue
    case follow
    case watch
  }

  /// The maximum time from the revocation to the end of a program that has a connection.
  private static let endLimit = Duration.seconds(150)
  /// The same on a network with faults: a dead stream is noticed after 75 s, and a server that is
  /// away is awaited for 120 s.
  private static let troubledEndLimit = Duration.seconds(200)
  /// The maximum number of requests in an hour of a watch that has no access.
  private static let hourLimit = 40

  static func play(_ world: World) async throws {
    var configuration = FakeServer.Configuration.drawn(in: world, name: "studio", .deviceKeys)
    configuration.gatesCommands = false
    let server = try await world.addServer(configuration)
    let kind = world.choose(Kind.allCases)
    let prompt = "prompt \(world.number(below: 1 << 30))"
    guard let words = await words(of: kind, prompt, on: server, in: world) else { return }
    let faults = world.happens(0.3) ? world.drawNetworkFaults() : .none
    world.set(faults)
    let program = world.program()
    let running = Task(executorPreference: world.loop) { await program.run(words) }
    try await world.loop.sleep(for: world.time(upTo: world.choose([.seconds(1), .seconds(30)])))
    await server.returned()
    let isEnded = !world.isRunning(program.number)
    world.tell("the device is revoked")
    server.revokeDevices()
    let begin = world.loop.now
    if kind == .watch { await watch(program, server, world) }
    let outcome = await running.value
    let time = begin.duration(to: world.loop.now)
    world.checkLeavings(of: program)
    world.mark("\(kind) \(outcome.status ?? -1)\(isEnded ? " before" : "")")
    if kind != .watch {
      let isTroubled = World.isTroubled(faults)
      let limit = isTroubled ? troubledEndLimit : endLimit
      world.check(time <= limit, "the program went on for \(time)")
      check(outcome, kind, server, prompt, isTroubled: isTroubled, in: world)
    }
    try await world.calmDown()
    await checkLaterPrograms(server, prompt, in: world)
  }

  private static func words(
    of kind: Kind,
    _ prompt: String,
    on server: VirtualServer,
    in world: World
  ) async -> [String]? {
    switch kind {
    case .ask: return ["ask", "--json", "-w", "demo", "--", prompt]
    case .wait: return ["ask", "--json", "--wait", "-w", "demo", "--", "silent \(prompt)"]
    case .queue: return ["ask", "--json", "--queue", "-w", "demo", "--", prompt]
    case .watch: return ["watch", "--json"]
    case .follow:
      let session = await world.session(asking: ["-w", "demo", "--", "silent \(prompt)"])
      return session.map { ["follow", "--json", "--", $0] }
    }
  }

  /// Checks what a program reports whose access ended.
  private static func check(
    _ outcome: Program.Outcome,
    _ kind: Kind,
    _ server: VirtualServer,
    _ prompt: String,
    isTroubled: Bool,
    in world: World
  ) {
    let runs = server.runs.count { $0.text.hasSuffix(prompt) }
    world.check(runs <= 1, "the prompt ran \(runs) times")
    switch (kind, outcome.status) {
    case (.follow, 77), (.wait, 77): break
    case (.ask, 77), (.queue, 77): world.check(runs == 0, "status 77, but it ran")
    case (.ask, 0): world.check(server.wasSent(prompt), "status 0, but no server received it")
    case (.queue, 0): break
    case (.ask, 6), (.queue, 6), (.wait, 6): break
    // A device that is unknown counts as revoked after 90 s only.
    case (_, 69), (_, 75), (_, 76):
      world.check(
        isTroubled || outcome.status == 75,
        "status \(outcome.status ?? -1) without a fault"
      )
      world.check(kind == .follow || runs == 0, "reported as not sent, but it ran")
    default: world.check(false, "status \(outcome.status ?? -1)")
    }
  }

  /// Checks that a watch without access neither ends nor asks the server all the time.
  private static func watch(_ program: Program, _ server: VirtualServer, _ world: World) async {
    await world.endFaults()
    try? await world.loop.sleep(for: .seconds(300))
    let count = server.requests.count
    try? await world.loop.sleep(for: .seconds(3600))
    let more = server.requests.count - count
    world.check(more <= hourLimit, "\(more) requests in an hour without access")
    world.check(world.isRunning(program.number), "the watch has ended")
    program.interrupt()
  }

  /// Checks that later programs report the end of access at once, and that the prompt never runs.
  private static func checkLaterPrograms(
    _ server: VirtualServer,
    _ prompt: String,
    in world: World
  ) async {
    let runs = server.runs.count
    if await world.program().run(["sessions"]).status == 75 {
      try? await world.loop.sleep(for: .seconds(90))
    }
    for words in [["workspaces"], ["ask", "-w", "demo", "again \(prompt)"], ["sessions"]] {
      let before = server.requests.count
      let outcome = await world.program().run(words)
      let requests = server.requests.count - before
      let isTold = outcome.errors.contains("has revoked this device")
      world.check(outcome.status == 77 && isTold, "\(words[0]) without access: \(outcome)")
      world.check(outcome.elapsed <= .seconds(10), "\(words[0]) took \(outcome.elapsed)")
      world.check(requests <= 8, "\(words[0]) made \(requests) requests")
    }
    for _ in 0..<3 {
      _ = await world.program().run(["outbox", "flush"])
      try? await world.loop.sleep(for: .seconds(600))
    }
    world.check(server.runs.count == runs, "a prompt ran without access")
    for entry in await world.outbox() { world.mark("left \(entry["state"].text())") }
  }
}
