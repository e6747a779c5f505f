// SPDX-License-Identifier: MIT

import EventLoop
import OppiText
import OppiWire
import Synchronization
import TestSupport

// The start, the faults and the end of a world.
extension World {
  /// The maximum number of waits per second of virtual time, in addition to `waitsAtFirst`; more
  /// waits are a busy loop.
  private static let waitsPerSecond = 60
  private static let waitsAtFirst = 20_000

  /// Plays a world to its end, on the calling thread; abandons it at a test's time limit.
  ///
  /// `listener` receives each line of the story at once. The value is `nil` if the body or the end
  /// of the world throws an error.
  package static func play<Value: Sendable>(
    seed: UInt64,
    listener: @escaping @Sendable (String) -> Void = { _ in },
    _ body: @escaping @Sendable (World) async throws -> Value
  ) -> (world: World, value: Value?) {
    let world = World(seed: seed, listener: listener)
    world.connect()
    defer { world.dissolve() }
    let life = { @Sendable () async -> Value? in
      do {
        let value = try await body(world)
        try await world.finish()
        return value
      } catch {
        world.check(false, "the world could not be played: \(error)")
        return nil
      }
    }
    let limit = Duration.testLimit
    let end = EventLoop.Instant.now + limit
    let value = world.loop.run(unless: { world.isHopeless || .now > end }, life)
    world.check(!world.isHopeless, "the world does not end")
    if value == nil, !world.isHopeless { world.check(false, "\(OutOfTime(after: limit))") }
    world.checkRemains()
    return (world, value ?? nil)
  }

  /// Whether the world will not end, so that its test must fail without it.
  private var isHopeless: Bool { isInterruptedInVain || kernel.waits > 2 * waitLimit }

  private var waitLimit: Int {
    Self.waitsAtFirst + Int(kernel.elapsed / .seconds(1)) * Self.waitsPerSecond
  }

  /// Connects the kernel to the world; a standstill is a violation.
  private func connect() {
    kernel.connect { [self] in
      isReady($0)
    } onStandstill: { [self] in
      giveUp()
    }
  }

  /// Draws network faults: none, few or many.
  func drawNetworkFaults() -> Faults {
    var faults = Faults()
    faults.latency = choose([.milliseconds(2), .milliseconds(80), .milliseconds(900)])
    faults.window = choose([65_536, 65_536, 2000])
    faults.splits = choose([0, 0.3, 1])
    switch number(below: 5) {
    case 0: break
    case 1:
      faults.cuts = 0.03
      faults.refusals = 0.05
    case 2:
      faults.hangs = 0.05
      faults.losses = 0.05
      faults.lookups = 0.1
    case 3:
      faults.lostAnswers = choose([0.1, 0.5])
      faults.conflicts = choose([0, 0.3])
      faults.expiries = choose([0, 0.2])
      faults.unrecorded = choose([0, 0.3])
      faults.failedRefreshes = choose([0, 0.3])
    default:
      faults.cuts = 0.1
      faults.hangs = 0.05
      faults.refusals = 0.15
      faults.losses = 0.1
      faults.lostAnswers = 0.1
    }
    return faults
  }

  /// Adds faults of reads in a third of all worlds: reads that fail, that lie, or both often.
  func addReadFaults(to faults: inout Faults) {
    switch number(below: 9) {
    case 0: faults.unreadable = 0.05
    case 1: faults.lies = 0.05
    case 2: (faults.unreadable, faults.lies) = (0.15, 0.15)
    default: break
    }
  }

  /// Whether the faults can make a program late or fail.
  static func isTroubled(_ faults: Faults) -> Bool {
    faults.latency > .milliseconds(500)
      || faults.cuts + faults.hangs + faults.refusals + faults.losses + faults.lookups > 0
      || faults.lostAnswers + faults.conflicts + faults.expiries > 0
      || faults.unrecorded + faults.failedRefreshes + faults.unreadable + faults.lies > 0
  }

  /// How far the clock is moved at most, forwards or back.
  static let longestJump = Duration.seconds(7200)

  /// Creates a session with a prompt, and returns its id; without faults, a failure is a violation.
  func session(asking words: [String]) async -> String? {
    let asked = await program().run(["ask"] + words)
    let session = asked.lines.first
    let isDelivered = asked.status == 0 && session != nil
    check(isDelivered, "a prompt was not delivered without faults: \(asked)")
    return isDelivered ? session : nil
  }

  /// All entries of the outbox.
  func outbox() async -> [JSONValue] {
    let list = await program().run(["outbox", "list", "--all", "--json"])
    check(list.status == 0, "the outbox cannot be listed: \(list)")
    return list.documents.first?["prompts"].array ?? []
  }

  /// Checks what a program left behind; after a kill, the power may fail, too.
  func checkEnd(of program: Program, _ outcome: Program.Outcome) {
    guard outcome.status == nil else { return checkLeavings(of: program) }
    mark("killed")
    if happens(0.5) { losePower() }
  }

  /// Changes the time of day at a random moment, as after a suspend or by hand.
  func jumpClock(within time: Duration) {
    let longest = Int(Self.longestJump / .seconds(1))
    let jump = Duration.seconds(number(below: 2 * longest) - longest)
    kernel.after(self.time(upTo: time)) { [self] in
      tell("the clock changes by \(jump)")
      mark("clock jump")
      kernel.jumpDay(by: jump)
    }
  }

  /// Ends all access tokens of a server at a random moment, which is part of normal operation.
  func endTokens(of server: VirtualServer, within time: Duration) {
    guard server.dialect.credential == .deviceKey else { return }
    kernel.after(self.time(upTo: time)) { [self] in
      guard server.mayExpireTokens() else { return }
      tell("the tokens of \(server.name) end")
      mark("tokens ended")
      server.expireTokens()
    }
  }

  /// Ends the agents of a server at a random moment, and starts them again.
  func restartAgents(of server: VirtualServer, within time: Duration) async {
    try? await loop.sleep(for: self.time(upTo: time))
    tell("the agents of \(server.name) are restarted")
    mark("agents restarted")
    await server.restartAgents()
  }

  /// Ends the server's process at a random moment, and restarts it after a random pause.
  func restart(_ server: VirtualServer, within time: Duration, awayFor pause: Duration) async {
    try? await loop.sleep(for: self.time(upTo: time))
    mark("restart")
    await server.end(choose([.inOrder, .killed, .powerless]))
    try? await loop.sleep(for: self.time(upTo: pause))
    restore(server)
  }

  /// Starts a server again; does nothing if it runs.
  func restore(_ server: VirtualServer) {
    do {
      if !server.isRunning { try server.start() }
    } catch {
      check(false, "\(server.name) could not be restarted: \(error)")
    }
  }

  /// Ends all faults, and waits for the servers that they have killed.
  func endFaults() async {
    set(.none)
    for server in servers { await server.returned() }
  }

  /// Ends the servers, and waits for the bytes in flight.
  private func finish() async throws {
    for server in servers { await server.end(.inOrder) }
    try await loop.sleep(for: .seconds(10))
  }

  /// Checks for busy loops, and for tokens that were sent to the wrong server.
  private func checkRemains() {
    check(kernel.waits <= waitLimit, "\(kernel.waits) waits in \(kernel.elapsed): a busy loop")
    let tokens = servers.compactMap { server in server.token.map { (server, Array($0.utf8)) } }
    var places: [ArraySlice<UInt8>: String] = [:]
    for (address, bytes) in network.carried.withLock({ $0 }) {
      for (server, token) in tokens where server.address != address {
        check(!bytes.contains(token), "the token of \(server.name) was sent to \(address)")
      }
      for token in bytes.accessTokens {
        let known = places[token, default: address]
        check(known == address, "a token was sent to \(known) and \(address)")
        places[token] = address
      }
    }
  }

  /// Checks that an ended program left no open sockets or temporary files.
  package func checkLeavings(of program: Program) {
    check(
      network.openSockets(of: program.number) == 0,
      "program \(program.number) left open sockets"
    )
    let temporary = disk.paths.filter { $0.contains(".\(program.number).") }
    check(temporary.isEmpty, "program \(program.number) left \(temporary)")
  }
}

extension [UInt8] {
  /// The access tokens in the heads of requests.
  fileprivate var accessTokens: [ArraySlice<UInt8>] {
    let mark = Array("Bearer at_".utf8)
    return ranges(of: mark).map { range in
      self[range.upperBound...].prefix { $0 > UInt8(ascii: " ") }
    }
  }
}
