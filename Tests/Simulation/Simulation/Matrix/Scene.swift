// SPDX-License-Identifier: MIT

import EventLoop
import LoopbackServer
import Synchronization

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
    guard let strike, strike.moment == .start else { return }
    state.withLock { $0.hasStruck = true }
    _ = strike.fault.effect(self, nil)
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
