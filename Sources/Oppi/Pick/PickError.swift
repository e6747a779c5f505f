// SPDX-License-Identifier: MIT

/// Why nothing can be chosen, or why the choice cannot be carried out.
enum PickError: Error {
  /// The menu would be empty; the kind is `nil` for the menu of everything.
  case nothingToPick(PickChoice.Kind?)
  /// The editor was closed without a text.
  case nothingWritten
  /// A text is required, but no menu program can ask for it.
  case noMenu
  /// A shortcut reads standard input.
  case noInput(shortcut: String)
  /// No terminal window can be opened; `orElse` is a command that does the same.
  case noWindow(orElse: String?)
  /// The program that would open a window cannot be started.
  case cannotStart(program: String, because: any Error)
}
