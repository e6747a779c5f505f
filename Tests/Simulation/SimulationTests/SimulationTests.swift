// SPDX-License-Identifier: MIT

import Simulation
import Testing

@Suite("Simulation")
struct SimulationTests {
  /// So many worlds are played in each case; the cases run beside each other.
  private static let portion: UInt64 = 100

  @Test("every promise holds in every world", arguments: 0..<20)
  func worlds(portion: UInt64) {
    for seed in portion * Self.portion + 1...(portion + 1) * Self.portion {
      let result = Simulator.play(seed)
      #expect(result.violations == [], "replay it with: Tests/Simulation/run --seed \(seed)")
    }
  }

  @Test(
    "worlds that were broken once are whole",
    arguments: [
      // The stream fell silent after the server had taken the prompt, and every second look failed.
      (1650, "ask")
    ] as [(UInt64, String)]
  )
  func mended(seed: UInt64, scenario: String) {
    #expect(Simulator.play(seed, only: scenario).violations == [])
  }

  @Test("a world is the same whenever it is played", arguments: 1...30)
  func repeatable(seed: UInt64) {
    let (first, second) = (Simulator.play(seed), Simulator.play(seed))
    #expect(first.trace == second.trace)
    #expect(first.story == second.story)
  }
}
