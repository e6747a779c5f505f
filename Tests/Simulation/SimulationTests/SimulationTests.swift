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

  @Test("a world is the same whenever it is played", arguments: 1...30)
  func repeatable(seed: UInt64) {
    let (first, second) = (Simulator.play(seed), Simulator.play(seed))
    #expect(first.trace == second.trace)
    #expect(first.story == second.story)
  }
}
