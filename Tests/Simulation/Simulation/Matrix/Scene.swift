// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiText
import Synchronization
import WebSocketCodec

/// The setting of a cell: records the moments of the conversation and applies the fault.
final class Scene: Sendable {
  private struct State {
    var world: World?
    var server: VirtualServer?
    var program: Program?
    var strike: Cell.Strike?
    var moments: [Moment] = []
    var counts: [String: Int] = [:]
    var hasStruck = false
    var tasks: [Task<Void, Never>] = []
  }

  /// The time after which an agent is running.
  private static let turnDelay = Duration.seconds(3)

  private let state: Mutex<State>

  init(_ world: World) {
    state = Mutex(State(world: world))
  }

  /// The server's intervention at each step; there is no fault until the scene begins.
  var interceptor: Interceptor { { [self] step in intervene(at: step) } }

  /// Starts to record a program's conversation with a server.
  func begin(_ program: Program, with server: VirtualServer, _ strike: Cell.Strike?) {
    state.withLock { state in
      state.program = program
      state.server = server
      state.strike = strike
    }
    switch strike?.moment {
    case .start?: strikeAlone()
    case .turn?:
      let loop = state.withLock { $0.world?.loop }
      let task = Task(executorPreference: loop) { [self] in
        try? await loop?.sleep(for: Self.turnDelay)
        strikeAlone()
      }
      state.withLock { $0.tasks.append(task) }
    default: break
    }
  }

  /// Applies the fault at a moment without a server step.
  private func strikeAlone() {
    let strike = state.withLock { state -> Cell.Strike? in
      guard let program = state.program, let world = state.world, let strike = state.strike,
        strike.moment == .start || world.isRunning(program.number)
      else { return nil }
      state.hasStruck = true
      return strike
    }
    guard let strike else { return }
    world?.tell("the fault occurs")
    say(strike.fault.effect(self, nil))
  }

  /// Applies an intervention to the open connections.
  private func say(_ intervention: Intervention) {
    guard let world, let address = server?.address else { return }
    switch intervention {
    case .send(let bytes, let next):
      world.network.inject(bytes, from: address)
      say(next)
    case .close(let code, let reason):
      let payload = code.map { [UInt8($0.rawValue >> 8), UInt8($0.rawValue & 0xFF)] + reason.utf8 }
      world.network.inject(Self.frame(8, payload ?? []), from: address)
    case .reply(let messages):
      for message in messages {
        world.network.inject(Self.frame(1, Array(message.text().utf8)), from: address)
      }
    case .drop: world.network.cutConnections(to: address)
    case .hang: world.network.loseAnswers(from: address)
    default: break
    }
  }

  private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0x80 | opcode, UInt8(payload.count)] + payload
  }

  /// Waits for the tasks of the fault, stops recording and releases the world.
  ///
  /// - Returns: The recorded moments, and whether the fault has occurred.
  func end() async -> (moments: [Moment], hasStruck: Bool) {
    for task in state.withLock(\.tasks) { await task.value }
    return state.withLock { state in
      defer { state = State() }
      return (state.moments, state.hasStruck)
    }
  }

  private func intervene(at step: Step) -> Intervention {
    let effect = state.withLock { state -> MatrixFault.Effect? in
      guard state.program != nil else { return nil }
      var moment = Moment(step)
      moment.count = state.counts[moment.name, default: 0] + 1
      state.counts[moment.name] = moment.count
      state.moments.append(moment)
      guard let strike = state.strike, strike.hits(moment) else { return nil }
      state.hasStruck = true
      return strike.fault.effect
    }
    guard let effect else { return .proceed }
    state.withLock(\.world)?.tell("the fault occurs")
    return effect(self, step)
  }
}

// MARK: - Effects of faults

extension Scene {
  private var world: World? { state.withLock(\.world) }
  private var server: VirtualServer? { state.withLock(\.server) }

  func set(_ change: (inout Faults) -> Void) {
    var faults = Faults.none
    change(&faults)
    world?.set(faults)
  }

  func interrupt() {
    state.withLock(\.program)?.interrupt()
  }

  func jumpClock(by jump: Duration) {
    world?.kernel.jumpDay(by: jump)
  }

  /// Removes the server's name from name resolution.
  func forgetHost() {
    guard let world, let server else { return }
    world.network.setHost(server.host, addresses: nil)
  }

  /// Silences the current connections; with `forGood`, no new connection succeeds either.
  func silenceNetwork(forGood: Bool) {
    guard let world, let server else { return }
    if forGood { set { $0.losses = 1 } }
    world.network.dropConnections(at: server.address)
  }

  /// Drops everything that the server sends over the current connections.
  func loseAnswers() {
    guard let world, let server else { return }
    world.network.loseAnswers(from: server.address)
  }

  func endTokens() { server?.expireTokens() }

  func revokeDevices() { server?.revokeDevices() }

  func restartAgents() {
    guard let world, let server else { return }
    let task = Task(executorPreference: world.loop) { await server.restartAgents() }
    state.withLock { $0.tasks.append(task) }
  }

  /// Kills the server, and restarts it after the pause; `nil` keeps it down.
  func endServer(andReturnAfter pause: Duration?) {
    guard let world, let server else { return }
    let task = Task(executorPreference: world.loop) {
      await server.end(.killed)
      guard let pause else { return }
      try? await world.loop.sleep(for: pause)
      world.restore(server)
    }
    state.withLock { $0.tasks.append(task) }
  }
}
