// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiText

/// A timer that fires too often, too late or not at all, a clock that jumps, and killed programs: a
/// slot runs at most once, and its record is true.
enum ScheduleScenario {
  static func play(_ world: World) async throws {
    let server = try await world.addServer(.drawn(in: world, name: "studio"))
    let schedulers = VirtualSchedulers(on: world.programs) { world.disk.contents(of: $0) }
    let timer = Timer(world: world, server: server)
    guard await timer.prepare() else { return }
    var faults = world.drawNetworkFaults()
    world.addReadFaults(to: &faults)
    if world.happens(0.5) { world.set(faults) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await timer.fire(times: 3 + world.number(below: 4)) }
      if world.happens(0.4) {
        group.addTask {
          await world.restart(server, within: .seconds(3600), awayFor: .seconds(900))
        }
      }
      if timer.isClockSet { world.jumpClock(within: .seconds(2700)) }
    }
    try await world.calmDown()
    let records = await timer.records()
    ScheduleCheck(world: world, server: server, prompt: Timer.prompt).check(records)
    await timer.probe()
    withExtendedLifetime(schedulers) {}
  }

  /// Triggers the scheduled runs of a shortcut.
  private struct Timer {
    static let prompt = "hello, as every quarter of an hour"
    private static let interval = 900

    let world: World
    let server: VirtualServer
    let isQueued: Bool
    private let hasManager: Bool
    let isClockSet: Bool

    init(world: World, server: VirtualServer) {
      self.world = world
      self.server = server
      isQueued = world.happens(0.5)
      hasManager = world.happens(0.7)
      isClockSet = world.happens(0.3)
    }

    private var environment: [String: String] {
      hasManager ? ["TZ": "UTC", "XDG_RUNTIME_DIR": "/run/user/1000"] : ["TZ": "UTC"]
    }

    private func oppi(_ words: [String], dyingAfter calls: Int? = nil) async -> Program.Outcome {
      await world.program(dyingAfter: calls, environment: environment).run(words)
    }

    /// Creates the shortcut and its schedule.
    func prepare() async -> Bool {
      if hasManager { world.disk.put([], at: "/run/user/1000/systemd/private") }
      let manner = isQueued ? ["--queue"] : []
      let made = await oppi(["shortcuts", "add", "standup", "-w", "demo"] + manner + [Self.prompt])
      let added = await oppi(
        ["schedule", "add", "standup", "--every", "15m"]
          + ["--on-overlap", world.choose(["skip", "queue"])]
          + (hasManager ? ["--missed", world.choose(["skip", "once"])] : [])
      )
      let isMade = made.status == 0 && added.status == 0
      world.check(isMade, "the schedule was not added: \(made.errors)\(added.errors)")
      return isMade
    }

    /// Waits for the next slot by the time of day.
    private func waitForSlot() async {
      let rest = Self.interval - world.loop.timestamp().seconds % Self.interval
      try? await world.loop.sleep(for: .seconds(rest))
    }

    /// Triggers slots: mostly once and on time, but also never, late, twice at the same time or
    /// with a program that is killed.
    func fire(times: Int) async {
      for _ in 0..<times {
        await waitForSlot()
        if world.happens(0.15) { continue }
        if world.happens(0.2) {
          let delay = world.choose([60, 400, 900])
          try? await world.loop.sleep(for: world.time(upTo: .seconds(delay)))
        }
        await withTaskGroup(of: Void.self) { group in
          for _ in 0...(world.happens(0.3) ? 1 : 0) { group.addTask { await fireOnce() } }
        }
      }
    }

    private func fireOnce() async {
      let calls = world.happens(0.3) ? world.number(below: 200) : nil
      let outcome = await oppi(["run", "standup", "--scheduled"], dyingAfter: calls)
      guard outcome.status == nil else { return }
      world.mark("killed")
      if world.happens(0.5) { world.losePower() }
    }

    /// The records of the slots.
    func records() async -> [JSONValue] {
      let list = await oppi(["schedule", "list", "--json"])
      world.check(list.status == 0, "schedules cannot be listed: \(list.errors)")
      return list.documents.first?["schedules"].array?.first?["runs"].array ?? []
    }

    /// Checks without faults that a slot runs.
    func probe() async {
      // A clock that was moved back repeats slots that have run, and until it has caught up, the
      // sessions do not count as idle.
      if isClockSet { try? await world.loop.sleep(for: World.longestJump) }
      try? await world.loop.sleep(for: .seconds(120))
      _ = await oppi(["stop", "--idle", "--yes"])
      if isQueued { _ = try? await world.calmDown() }
      let count = server.runs.count
      await waitForSlot()
      let outcome = await oppi(["run", "standup", "--scheduled"])
      world.check(outcome.status == 0, "status \(outcome.status ?? -1) of a slot without faults")
      try? await world.loop.sleep(for: .seconds(60))
      let runs = server.runs.count - count
      world.check(runs == 1, "a slot without faults ran \(runs) times")
    }
  }
}
