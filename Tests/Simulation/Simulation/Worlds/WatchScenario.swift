// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiSystem
import OppiWire

/// A watch while agents run, servers restart, the list of servers changes or is unreadable, and a
/// user presses buttons; once the faults end, the watch must work as before.
enum WatchScenario {
  static func play(_ world: World) async throws {
    let server = try await world.addServer(drawn(in: world, name: "studio"))
    guard let workspace = server.reference?.description else { return }
    // Turns that end before the watch starts.
    for _ in 0..<world.number(below: 3) {
      _ = await world.program().run(["ask", "-q", "-w", workspace, "hello"])
    }
    try await world.loop.sleep(for: .seconds(150))
    let past = server.runs.count
    let desk = WatchDesk(in: world)
    let check = WatchCheck(world: world, desk: desk)
    world.expectToStay { await check.check(world.servers, past: past) }
    var faults = world.happens(0.5) ? world.drawNetworkFaults() : .none
    world.set(faults)
    world.addReadFaults(to: &faults)
    // A watch that cannot read the list of servers when it starts ends at once.
    try await world.loop.sleep(for: .seconds(1))
    world.set(faults)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await desk.pressNow(and: world.number(below: 10)) }
      group.addTask { await ask(in: workspace, world) }
      group.addTask { await change(server, desk, world) }
      if world.happens(0.3) { group.addTask { await endSessions(world) } }
    }
    try await world.calmDown(delivering: .watch)
    check.checkDecisions(world.servers)
    await desk.end()
  }

  /// A server with room for all sessions, whose requests never expire.
  private static func drawn(in world: World, name: String) -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration.drawn(in: world, name: name)
    configuration.approvalTimeout = nil
    configuration.gatesCommands = true
    configuration.limits.loadedSessionsPerWorkspace = 60
    configuration.limits.loadedSessions = 100
    return configuration
  }

  private static func ask(in workspace: String, _ world: World) async {
    for _ in 0..<(1 + world.number(below: 5)) {
      try? await world.loop.sleep(for: world.time(upTo: .seconds(60)))
      let prompt = world.choose(["deploy", "deploy", "wipe", "hello", "fail", "ask confirm"])
      _ = await world.program().run(["ask", "-q", "-w", workspace, prompt])
    }
  }

  /// Stops idle sessions, as servers do.
  private static func endSessions(_ world: World) async {
    try? await world.loop.sleep(for: world.time(upTo: .seconds(200)))
    world.mark("sessions ended")
    _ = await world.program().run(["stop", "--idle", "--yes"])
  }

  // MARK: - Changes during a watch

  private static func change(_ server: VirtualServer, _ desk: WatchDesk, _ world: World) async {
    var list = PairedList(world: world, desk: desk)
    for _ in 0...world.number(below: 3) {
      try? await world.loop.sleep(for: world.time(upTo: .seconds(40)))
      switch world.number(below: 4) {
      case 0:
        desk.desktop.restart()
        world.mark("desktop restarted")
      case 1: await list.change()
      default:
        await loseAndQueue(server, world)
        // A delivery may be in progress.
        try? await world.loop.sleep(for: world.time(upTo: .seconds(10)))
        if world.happens(0.6) { await list.change() }
      }
    }
  }

  /// Ends a server, queues prompts for it, and restarts it.
  private static func loseAndQueue(_ server: VirtualServer, _ world: World) async {
    guard let workspace = server.reference?.description else { return }
    await server.end(world.choose([.inOrder, .killed, .powerless]))
    for _ in 0...world.number(below: 2) {
      let prompt = "kept \(world.number(below: 1 << 30))"
      _ = await world.program().run(["ask", "-q", "--queue", "-w", workspace, "--", prompt])
    }
    try? await world.loop.sleep(for: world.time(upTo: .seconds(60)))
    world.restore(server)
  }

  /// The file of the paired servers, which other programs change.
  private struct PairedList {
    private static let path = XDGPaths(environment: [:], home: World.home).serversFile

    let world: World
    let desk: WatchDesk
    private var isLonger = false
    private var isRenamed = false

    init(world: World, desk: WatchDesk) {
      self.world = world
      self.desk = desk
    }

    mutating func change() async {
      switch world.number(below: 3) {
      case 0: await spoil()
      case 1 where !isLonger:
        isLonger = true
        world.mark("another server paired")
        do {
          _ = try await world.addServer(WatchScenario.drawn(in: world, name: "attic"))
        } catch {
          world.check(false, "the other server did not start: \(error)")
        }
      default:
        let names = isRenamed ? ["office", "studio"] : ["studio", "office"]
        world.mark("server renamed")
        let renamed = await world.program().run(["servers", "rename"] + names)
        if renamed.status == 0 { isRenamed.toggle() }
      }
    }

    /// Makes the file invalid for a while.
    private func spoil() async {
      guard let good = world.disk.contents(of: Self.path) else { return }
      world.mark("list unreadable")
      world.tell("the server list is unreadable")
      world.disk.put(Array("{".utf8), at: Self.path)
      try? await world.loop.sleep(for: .seconds(2))
      desk.pressAny()
      try? await world.loop.sleep(for: world.time(upTo: .seconds(40)))
      world.disk.put(good, at: Self.path)
      world.tell("the server list is readable again")
    }
  }
}
