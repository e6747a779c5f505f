// SPDX-License-Identifier: MIT

package enum Key: Sendable, Equatable {
  /// Typed printable characters.
  case text(String)
  /// Pasted text: printable characters, line feeds and tabs.
  case paste(String)
  case enter
  /// Alt-Enter or Ctrl-J: inserts a line break.
  case newline
  case backspace
  case delete
  case left
  case right
  case up
  case down
  case home
  case end
  case wordLeft
  case wordRight
  case pageUp
  case pageDown
  case tab
  case escape
  /// Alt-D: deletes the word after the cursor.
  case deleteWord
  /// Ctrl-_; many terminals send it for Ctrl-/ as well.
  case undo
  /// The window of the terminal got or lost the focus, if it reports that.
  case focus(Bool)
  /// Ctrl with a letter from `a` to `z` that no other case represents.
  case control(Character)
}
