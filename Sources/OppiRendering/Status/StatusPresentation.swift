// SPDX-License-Identifier: MIT

/// The detail of a glance, named like the presentations of the Dynamic Island.
package enum StatusPresentation: String, Sendable, CaseIterable {
  case minimal
  /// The symbol, a word and counters.
  case compact
  /// All details, in several lines.
  case expanded
}
