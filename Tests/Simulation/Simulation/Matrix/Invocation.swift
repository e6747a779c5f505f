// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel

/// A row of the matrix: a command line that goes over the network, and the world that it needs.
package struct Invocation: Sendable {
  /// Prepares the world; gets a server that does the right thing until the scene begins.
  typealias Preparation = @Sendable (World, VirtualServer) async throws -> Stage

  /// What is typed, more or less.
  package let name: String
  /// The command's words, to find what its help says.
  let command: [String]
  var dialect = PairedServer.Dialect.multiplexed
  /// The pause before each event of an agent.
  var pace = Duration.zero
  /// Whether the home is paired with the server from the beginning.
  var isPaired = true
  /// The longest that it may take, whatever goes wrong.
  let budget: Duration
  /// What is asked, for how many agents.
  var prompt: String?
  var targets = 1
  /// Whether the prompt's turn is waited for, too.
  var isWaiting = false
  /// Whether the prompt may be kept in the outbox.
  var isQueued = false
  /// Whether an agent is at work a few seconds after the beginning.
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

  /// The same with other properties.
  func with(_ change: (inout Invocation) -> Void) -> Invocation {
    var other = self
    change(&other)
    return other
  }

  /// The same with a server of the older dialect.
  var older: Invocation {
    let name = "\(name), older server"
    var other = Invocation(name, of: command, within: budget, prepare)
    other.dialect = .perSession
    other.pace = pace
    other.isPaired = isPaired
    other.prompt = prompt
    other.targets = targets
    other.isWaiting = isWaiting
    other.isQueued = isQueued
    other.isTurnShown = isTurnShown
    return other
  }
}

extension Invocation {
  /// Plays the world's beginning.
  func begin(_ scene: Scene, in world: World) async throws -> Stage {
    var configuration = LoopbackServer.Configuration()
    configuration.name = "studio"
    configuration.dialect = dialect
    configuration.pace = pace
    configuration.interceptor = scene.interceptor
    let server = try await world.addServer(configuration, isPaired: isPaired)
    return try await prepare(world, server)
  }
}
