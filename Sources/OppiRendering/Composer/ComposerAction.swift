// SPDX-License-Identifier: MIT

/// What a ``Composer`` asks of its owner after a key.
package enum ComposerAction: Sendable, Equatable {
  /// Enter: a text that is not blank; the composer is empty now and remembers it.
  case send(String)
  /// Ctrl-G: the text is to be edited elsewhere and given back by ``Composer/replace(_:)``.
  case openEditor
  /// Ctrl-C.
  case interrupt
  /// Ctrl-D while there is no text.
  case endOfInput
  /// Ctrl-Z.
  case suspend
  /// Ctrl-L: the screen is to be drawn anew.
  case redraw
  /// A key that the composer has no use for.
  case key(Key)
}
