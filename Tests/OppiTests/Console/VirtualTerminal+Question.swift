// SPDX-License-Identifier: MIT

import Simulation

@testable import Oppi

extension VirtualTerminal {
  /// Selects the change of a question of the console that has been shown for a second, looks at the
  /// selection, and confirms it.
  func confirm(_ verb: String, in world: World) async throws {
    type("y")
    try await see("▸y \(verb)")
    try await world.pass(.seconds(1))
    type("\r")
  }
}
