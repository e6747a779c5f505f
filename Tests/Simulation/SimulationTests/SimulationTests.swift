// SPDX-License-Identifier: MIT

import Simulation
import Testing

@Suite("Simulation")
struct SimulationTests {
  /// Scenarios of many programs or hours, of which fewer worlds are played.
  private static let long: Set = ["chat", "full", "requests", "schedule", "watch"]

  @Test("every promise holds in every world", arguments: Scenario.names)
  func worlds(scenario: String) async {
    let count: UInt64 = Self.long.contains(scenario) ? 12 : 60
    for seed in 1...count {
      // A world is played without a pause; tests that wait for programs get their turn in between.
      await Task.yield()
      let result = Simulator.play(seed, only: scenario)
      #expect(
        result.violations == [],
        "replay it with: Tests/Simulation/run --seed \(seed) \(scenario)"
      )
    }
  }

  @Test("a world is the same whenever it is played", arguments: 1...10)
  func repeatable(seed: UInt64) {
    let (first, second) = (Simulator.play(seed), Simulator.play(seed))
    #expect(first.trace == second.trace)
    #expect(first.story == second.story)
  }
}
