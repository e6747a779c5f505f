// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire

extension FakeServer.Configuration {
  /// A server of a random dialect, with random delays of its agent.
  static func drawn(in world: World, name: String) -> FakeServer.Configuration {
    drawn(in: world, name: name, .drawn(in: world))
  }

  /// A server of a dialect, with random delays of its agent.
  static func drawn(
    in world: World,
    name: String,
    _ dialect: Dialect
  ) -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.name = name
    configuration.dialect = dialect
    configuration.pace = world.choose([.zero, .milliseconds(30), .seconds(2)])
    configuration.agentStartDelay = world.choose([.zero, .milliseconds(300), .seconds(3)])
    switch dialect.stream {
    case .perSession:
      configuration.restLag = world.choose([.zero, .seconds(1)])
      // These servers do not report their queue, and continue with it at once.
      configuration.pace = min(configuration.pace, .milliseconds(30))
    case .multiplexed: break
    case .session: configuration.drawExtras(in: world)
    }
    return configuration
  }

  /// What servers with session sockets may or may not have, and the lifetime of their tokens.
  private mutating func drawExtras(in world: World) {
    gatesCommands = world.happens(0.7)
    hasRuntimeEpochs = world.happens(0.8)
    settlesTurns = world.happens(0.8)
    settleDelay = world.choose([.zero, .milliseconds(300), .seconds(2)])
    offersChallenges = world.happens(0.8)
    limits.accessTokenLifetime = world.choose([.seconds(600), .seconds(120), .seconds(40)])
    limits.launchLease = world.choose([.seconds(120), .seconds(20), .seconds(2)])
    limits.accessTokenGrace = world.choose([.seconds(30), .seconds(2)])
  }
}

extension Dialect {
  /// The dialect of a random released server.
  static func drawn(in world: World) -> Dialect {
    world.choose([
      .perSession, .multiplexed, .multiplexed, .sessionSockets, .deviceKeys, .deviceKeys,
    ])
  }
}
