// SPDX-License-Identifier: MIT

import Simulation
import Testing

@Suite("Simulation")
struct SimulationTests {
  @Test("a world is the same whenever it is played", arguments: 1...12)
  func repeatable(seed: UInt64) {
    let (first, second) = (Simulator.play(seed), Simulator.play(seed))
    #expect(first.trace == second.trace)
    #expect(first.story == second.story)
  }
}
