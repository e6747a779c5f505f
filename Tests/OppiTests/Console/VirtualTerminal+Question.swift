// SPDX-License-Identifier: MIT

import Simulation

@testable import Oppi

extension VirtualTerminal {
  /// Reads a question of the console for a second, selects its change, looks at the selection, and
  /// confirms it.
  func confirm(_ verb: String, in world: World) async throws {
    try await world.pass(.seconds(1))
    type("y")
    try await see("▸y \(verb)")
    try await world.pass(.seconds(1))
    type("\r")
  }
}
