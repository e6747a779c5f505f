// SPDX-License-Identifier: MIT

/// The role of a piece of text; a ``Theme`` determines its appearance.
package enum Style: Sendable {
  case plain
  case heading
  /// The most important text of a row.
  case name
  /// Additional information.
  case dim
  case success
  case warning
  case error
  /// Text to type or run.
  case code
  case emphasis
  case strong
  case link
  /// Struck through.
  case deleted
}
