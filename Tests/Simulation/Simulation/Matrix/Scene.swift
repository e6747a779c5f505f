// SPDX-License-Identifier: MIT

import EventLoop
import LoopbackServer
import OppiModel
import Synchronization
import WebSocketCodec

/// Where a cell is played: it notes the moments of the conversation and lets the fault strike at one.
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

  /// By then an agent is at work.
  private static let turnDelay = Duration.seconds(3)

  private let state: Mutex<State>

  init(_ world: World) {
    state = Mutex(State(world: world))
  }

  /// What the server is to do at each step: the right thing until the scene begins.
  var interceptor: Interceptor { { [self] step in intervene(at: step) } }

  /// Begins to watch a program's conversation with a server.
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

  /// Strikes where the server has no step to take.
  private func strikeAlone() {
    let strike = state.withLock { state -> Cell.Strike? in
      guard let program = state.program, let world = state.world, let strike = state.strike,
        strike.moment == .start || world.isRunning(program.number)
      else { return nil }
      state.hasStruck = true
      return strike
    }
    guard let strike else { return }
    world?.tell("the fault strikes")
    say(strike.fault.effect(self, nil))
  }

  /// Does to the connections what a server would do at a step.
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

  private func say(_ next: Intervention.Continuation) {
    switch next {
    case .proceed, .ignore: break
    case .hang: say(Intervention.hang)
    case .drop: say(Intervention.drop)
    }
  }

  private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0x80 | opcode, UInt8(payload.count)] + payload
  }

  /// Stops watching, waits for what the fault has begun, and lets go of the world.
  ///
  /// - Returns: What has happened, and whether the fault has struck.
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
    state.withLock(\.world)?.tell("the fault strikes")
    return effect(self, step)
  }
}

// MARK: - What faults do

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

  /// Lets the server's name mean nothing.
  func forgetHost() {
    guard let world, let server else { return }
    world.network.setHost(server.host, addresses: nil)
  }

  /// Lets nothing of the present connections arrive any more, nor of later ones.
  func silenceNetwork(forGood: Bool) {
    guard let world, let server else { return }
    if forGood { set { $0.losses = 1 } }
    world.network.dropConnections(at: server.address)
  }

  /// Lets nothing that the server sends over the present connections arrive.
  func loseAnswers() {
    guard let world, let server else { return }
    world.network.loseAnswers(from: server.address)
  }

  /// Kills the server; it comes back after a while, or not.
  func endServer(andReturnAfter pause: Duration?) {
    guard let world, let server else { return }
    let task = Task(executorPreference: world.loop) {
      await server.end(.killed)
      guard let pause else { return }
      try? await world.loop.sleep(for: pause)
      do {
        try server.start()
      } catch {
        world.check(false, "\(server.name) could not be started again: \(error)")
      }
    }
    state.withLock { $0.tasks.append(task) }
  }
}
