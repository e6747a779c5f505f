// SPDX-License-Identifier: MIT

extension Duration {
  /// Whole milliseconds, the unit of the wire, rounded towards zero.
  package var milliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}
