// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire

/// A row of the matrix: a command line that uses the network, and the world that it needs.
package struct Invocation: Sendable {
  /// Prepares the world; the server has no fault until the scene begins.
  typealias Preparation = @Sendable (World, VirtualServer) async throws -> Stage

  /// A short form of the command line.
  package private(set) var name: String
  /// The words that select the command in the command table.
  let command: [String]
  var dialect = Dialect.deviceKeys
  /// The pause before each event of an agent.
  var pace = Duration.zero
  /// Whether the home is paired with the server at the start.
  var isPaired = true
  /// The maximum time under any fault.
  let budget: Duration
  /// The prompt, and the number of agents that get it.
  var prompt: String?
  var targets = 1
  /// Whether the command waits for the prompt's turn.
  var isWaiting = false
  /// Whether the prompt may be kept in the outbox.
  var isQueued = false
  /// Whether the command gets its token itself: the end of that token at the next moment is a
  /// refusal.
  var getsToken = false
  /// Whether an agent is running a few seconds after the start.
  var isTurnShown = false
  let prepare: Preparation

  init(
    _ name: String,
    of command: [String],
    within budget: Duration,
    _ prepare: @escaping Preparation
  ) {
    self.name = name
    self.command = command
    self.budget = budget
    self.prepare = prepare
  }

  func with(_ change: (inout Invocation) -> Void) -> Invocation {
    var other = self
    change(&other)
    return other
  }

  /// The same invocation with an older server: one with a gate and bearer tokens.
  var gated: Invocation { on(.multiplexed, "gated server") }

  /// The same invocation with one of the first servers: with a socket for each session.
  var first: Invocation { on(.perSession, "first server") }

  private func on(_ dialect: Dialect, _ server: String) -> Invocation {
    with {
      $0.name += ", \(server)"
      $0.dialect = dialect
    }
  }
}

extension Invocation {
  /// Adds the server and prepares the world.
  func begin(_ scene: Scene, in world: World) async throws -> Stage {
    var configuration = FakeServer.Configuration.named("studio")
    configuration.dialect = dialect
    configuration.gatesCommands = true
    configuration.pace = pace
    configuration.interceptor = scene.interceptor
    let server = try await world.addServer(configuration, isPaired: isPaired)
    return try await prepare(world, server)
  }
}
