// SPDX-License-Identifier: MIT

/// Why nothing can be chosen, or what was chosen cannot be done.
package enum PickError: Error {
  /// A menu would be empty; `nil` for the menu of everything.
  case nothingToPick(PickChoice.Kind?)
  /// The person has left the editor without a text.
  case nothingWritten
  /// A text is needed, and nothing can ask for it.
  case noMenu
  /// A shortcut reads standard input.
  case noInput(shortcut: String)
  /// No terminal window can be opened; `remedy` is a command that does the same.
  case noWindow(orElse: String?)
  /// A program that would open a window cannot be started.
  case cannotStart(program: String, because: any Error)
}
