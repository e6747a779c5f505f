// SPDX-License-Identifier: MIT

/// How much of a glance is shown, by the presentations of the phone's Dynamic Island.
package enum StatusPresentation: String, Sendable, CaseIterable {
  /// A symbol alone.
  case minimal
  /// The symbol, a word and what counts.
  case compact
  /// Everything there is to say, in several lines.
  case expanded
}
