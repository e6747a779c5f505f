// SPDX-License-Identifier: MIT

/// What a piece of text is for; only a ``Theme`` knows how that looks.
package enum Style: Sendable {
  case plain
  case heading
  /// The thing that the reader is looking for in a row.
  case name
  /// What explains and may be skipped.
  case dim
  case success
  case warning
  case error
  /// Something that the reader may type or run.
  case code
  /// What its writer stressed.
  case emphasis
  /// What its writer stressed more.
  case strong
  /// An address.
  case link
}
