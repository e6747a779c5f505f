// SPDX-License-Identifier: MIT

/// The role of a piece of text; a ``Theme`` determines its appearance.
package enum Style: Sendable, CaseIterable {
  case plain
  case heading
  /// The most important text of a row.
  case name
  /// Additional information.
  case dim
  case success
  /// Something needs the user, or is not as expected.
  case warning
  case error
  /// Text to type or run, and keys to press.
  case code
  case emphasis
  case strong
  case link
  /// Struck through.
  case deleted
  /// A line that a change adds.
  case added
  /// A line that a change removes.
  case removed
}
