// SPDX-License-Identifier: MIT

import Synchronization

/// Plays worlds by seed.
package enum Simulator {
  package struct Result: Sendable {
    package var seed: UInt64
    package var scenario: String
    /// The events, one line each.
    package var story: [String]
    /// The failed checks; empty if the world passed.
    package var violations: [String]
    package var marks: Set<String>
    /// The reported deliveries by dialect.
    package var tallies: [String: Tally]
    package var virtualTime: Duration
    /// Equal for every run of the seed.
    package var trace: UInt64
  }

  /// Plays the world of a seed to its end, on the calling thread.
  ///
  /// `name` selects the scenario, any by default; `listener` receives each line of the story at
  /// once.
  package static func play(
    _ seed: UInt64,
    only name: String? = nil,
    listener: @escaping @Sendable (String) -> Void = { _ in }
  ) -> Result {
    let scenarios = Scenario.all.filter { name == nil || $0.name == name }
    precondition(!scenarios.isEmpty, "no scenario \(name ?? "")")
    let scenario = scenarios[Int(seed % UInt64(scenarios.count))]
    let (world, _) = World.play(seed: seed, listener: listener) { world in
      try await scenario.play(world)
      try await world.calmDown()
    }
    return Result(
      seed: seed,
      scenario: scenario.name,
      story: world.story,
      violations: world.violations,
      marks: world.marks,
      tallies: world.tallies,
      virtualTime: world.kernel.elapsed,
      trace: world.kernel.trace
    )
  }
}

/// The events and checks of a world.
package struct Scenario: Sendable {
  package let name: String
  let play: @Sendable (World) async throws -> Void

  /// The names of all scenarios, sorted.
  package static let names = Set(all.map(\.name)).sorted()

  package static let all = [
    Scenario(name: "ask", play: AskScenario.play),
    // Listed twice: the most important scenario is played most often.
    Scenario(name: "ask", play: AskScenario.play),
    Scenario(name: "several", play: SeveralScenario.play),
    Scenario(name: "twins", play: TwinsScenario.play),
    Scenario(name: "pair", play: PairScenario.play),
    Scenario(name: "workspaces", play: WorkspacesScenario.play),
    Scenario(name: "follow", play: FollowScenario.play),
    Scenario(name: "two", play: TwoProgramsScenario.play),
    Scenario(name: "vanish", play: VanishScenario.play),
    Scenario(name: "outbox", play: OutboxScenario.play),
    Scenario(name: "clock", play: ClockScenario.play),
    Scenario(name: "full", play: FullScenario.play),
    Scenario(name: "watch", play: WatchScenario.play),
    Scenario(name: "requests", play: RequestsScenario.play),
    Scenario(name: "changes", play: ChangesScenario.play),
    Scenario(name: "run", play: RunScenario.play),
    Scenario(name: "schedule", play: ScheduleScenario.play),
    Scenario(name: "chat", play: ChatScenario.play),
    Scenario(name: "tokens", play: TokensScenario.play),
    Scenario(name: "revoked", play: RevokedScenario.play),
    Scenario(name: "dialogs", play: DialogsScenario.play),
    Scenario(name: "console", play: ConsoleScenario.play),
  ]
}
