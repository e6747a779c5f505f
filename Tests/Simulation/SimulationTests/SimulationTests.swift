// SPDX-License-Identifier: MIT

import Simulation
import Testing

@Suite("Simulation")
struct SimulationTests {
  /// Scenarios with many programs or hours; fewer of their worlds are played.
  private static let long: Set = ["chat", "console", "full", "requests", "schedule", "watch"]

  @Test("all checks pass in every world", arguments: Scenario.names)
  func worlds(scenario: String) async {
    let count: UInt64 = Self.long.contains(scenario) ? 8 : 40
    for seed in 1...count {
      // A world runs without suspending; between two, tests that wait for programs can proceed.
      await Task.yield()
      let result = Simulator.play(seed, only: scenario)
      #expect(
        result.violations == [],
        "replay it with: Tests/Simulation/run --seed \(seed) \(scenario)"
      )
    }
  }

  @Test(
    "rare worlds that were broken once pass",
    arguments: [
      // A turn that ended before its earlier calls could be read, in three of 140,000 worlds.
      (123926, "follow"), (91806, "follow"), (157446, "follow"),
      // A message that was queued just before the connection broke.
      (58476, "chat"),
      // A draft below the offer to stop the agent.
      (3_002_408, "chat"),
      // A retry that was announced, and ran while the connection was down.
      (50646, "follow"),
    ]
  )
  func rare(seed: UInt64, scenario: String) {
    // Without its name, a seed plays another scenario once the list of all has changed.
    let result = Simulator.play(seed, only: scenario)
    #expect(result.violations.isEmpty, "\(result.violations)")
  }

  @Test("a seed always produces the same world", arguments: 1...10)
  func repeatable(seed: UInt64) {
    let (first, second) = (Simulator.play(seed), Simulator.play(seed))
    #expect(first.trace == second.trace)
    #expect(first.story == second.story)
  }
}
