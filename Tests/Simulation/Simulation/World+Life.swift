// SPDX-License-Identifier: MIT

import EventLoop
import LoopbackServer
import Synchronization

// How a world is set in motion, troubled, and brought to its end.
extension World {
  /// More waits than this for each second of virtual time, beside those of a beginning, are a busy
  /// loop.
  private static let waitsPerSecond = 60
  private static let waitsAtFirst = 20_000

  /// Plays a world to its end, on the calling thread.
  ///
  /// - Parameters:
  ///   - seed: What chance is drawn from.
  ///   - listener: Hears each line of the story at once.
  ///   - body: What happens in it.
  /// - Returns: The world that is left, and what the body returned where it could be played.
  package static func play<Value: Sendable>(
    seed: UInt64,
    listener: @escaping @Sendable (String) -> Void = { _ in },
    _ body: @escaping @Sendable (World) async throws -> Value
  ) -> (world: World, value: Value?) {
    let world = World(seed: seed, listener: listener)
    world.connect()
    defer { world.dissolve() }
    let value = world.loop.run { () -> Value? in
      do {
        let value = try await body(world)
        try await world.finish()
        return value
      } catch {
        world.check(false, "the world could not be played: \(error)")
        return nil
      }
    }
    world.checkRemains()
    return (world, value)
  }

  /// Lets the kernel see the world; one in which nothing can happen any more is broken.
  private func connect() {
    kernel.connect { [self] in
      isReady($0)
    } onStandstill: { [self] in
      giveUp()
    }
  }

  /// Faults as a world may have them: none, little, or much trouble of the network.
  func drawNetworkFaults() -> Faults {
    var faults = Faults()
    faults.latency = choose([.milliseconds(2), .milliseconds(80), .milliseconds(900)])
    faults.window = choose([65_536, 65_536, 2000])
    faults.splits = choose([0, 0.3, 1])
    switch number(below: 4) {
    case 0: break
    case 1:
      faults.cuts = 0.03
      faults.refusals = 0.05
    case 2:
      faults.hangs = 0.05
      faults.losses = 0.05
      faults.lookups = 0.1
    default:
      faults.cuts = 0.1
      faults.hangs = 0.05
      faults.refusals = 0.15
      faults.losses = 0.1
    }
    return faults
  }

  /// Whether faults can keep a program from being in time.
  static func isTroubled(_ faults: Faults) -> Bool {
    faults.latency > .milliseconds(500)
      || faults.cuts + faults.hangs + faults.refusals + faults.losses + faults.lookups > 0
  }

  /// Lets the clock of the day jump at some moment within a time, as after a suspend or by hand.
  func jumpClock(within time: Duration) {
    let jump = Duration.seconds(number(below: 14_400) - 7200)
    kernel.after(self.time(upTo: time)) { [self] in
      tell("the clock jumps by \(jump)")
      mark("clock jump")
      kernel.jumpDay(by: jump)
    }
  }

  /// Ends the server's process at some moment within a time, and starts it again after a while.
  func restart(_ server: VirtualServer, within time: Duration, awayFor pause: Duration) async {
    try? await loop.sleep(for: self.time(upTo: time))
    mark("restart")
    await server.end(choose([.inOrder, .killed, .powerless]))
    try? await loop.sleep(for: self.time(upTo: pause))
    do {
      try server.start()
    } catch {
      check(false, "\(server.name) could not be started again: \(error)")
    }
  }

  /// Ends all trouble, and gives the servers the time to do what they have taken.
  func calmDown() async throws {
    set(.none)
    try await loop.sleep(for: .seconds(300))
  }

  /// Ends the servers.
  private func finish() async throws {
    for server in servers { await server.end(.inOrder) }
    // What was on its way arrives, or does not.
    try await loop.sleep(for: .seconds(10))
  }

  /// Checks what must be true when everything has ended.
  private func checkRemains() {
    let limit = Self.waitsAtFirst + Int(kernel.elapsed / .seconds(1)) * Self.waitsPerSecond
    check(kernel.waits <= limit, "\(kernel.waits) waits in \(kernel.elapsed): a busy loop")
    let tokens = servers.compactMap { server in server.token.map { (server, Array($0.utf8)) } }
    for (address, bytes) in network.carried.withLock({ $0 }) {
      for (server, token) in tokens where server.address != address {
        check(!bytes.contains(token), "the token of \(server.name) went to \(address)")
      }
    }
  }

  /// Checks what a program that has ended by itself has left behind.
  package func checkLeavings(of program: Program) {
    check(network.openSockets(of: program.number) == 0, "program \(program.number) left a socket")
    let temporary = disk.paths.filter { $0.contains(".\(program.number).") }
    check(temporary.isEmpty, "program \(program.number) left \(temporary)")
  }
}
