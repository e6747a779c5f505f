// SPDX-License-Identifier: MIT

/// What a person has pressed, typed or pasted.
package enum Key: Sendable, Equatable {
  /// Typed characters, all of them printable.
  case text(String)
  /// Pasted text: printable characters, line feeds and tabs.
  case paste(String)
  case enter
  /// Alt-Enter or Ctrl-J: a new line inside a text.
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
  /// Alt-D: the word after the cursor goes.
  case deleteWord
  /// Ctrl-_, which many terminals send for Ctrl-/ as well.
  case undo
  /// Ctrl with a letter, `a` to `z`, where no other case has it.
  case control(Character)
}
