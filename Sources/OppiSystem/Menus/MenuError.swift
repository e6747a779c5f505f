// SPDX-License-Identifier: MIT

package import EventLoop

/// Why nothing was chosen from a menu.
package enum MenuError: Error, Sendable, Equatable {
  /// The program that the user named is not installed.
  case noSuchProgram(String)
  /// There is no terminal or no display for the program that the user named.
  case noPlace(program: String, needsTerminal: Bool)
  /// No program is installed that can show a menu here; these could, none if there is no place.
  case noProgram(fitting: [String])
  case cannotStart(program: String, SystemError)
  /// The program ended without a menu; `reason` is its own last line, if any.
  case notShown(program: String, reason: String?, status: Int32)
  /// The program printed something that is no row of the menu.
  case notARow(program: String)
  /// The program printed something that is not text in UTF-8.
  case notText(program: String)
  case tooMuchOutput(program: String)
  /// The user's timeout passed.
  case timedOut
  /// The person has left the menu.
  case left
  /// The menu was answered too fast, or too often, for a person.
  case hasty
}
