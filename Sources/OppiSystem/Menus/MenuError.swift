// SPDX-License-Identifier: MIT

package import EventLoop

package enum MenuError: Error, Sendable, Equatable {
  /// The program that the user named is not installed.
  case noSuchProgram(String)
  /// There is no terminal or no display for the program that the user named.
  case noPlace(program: String, needsTerminal: Bool)
  /// No installed program can show a menu here; `fitting` names programs that could, and is empty
  /// if there is neither a terminal nor a display.
  case noProgram(fitting: [String])
  case cannotStart(program: String, SystemError)
  /// The program exited without a menu; `reason` is its own last line, if any.
  case notShown(program: String, reason: String?, status: Int32)
  /// The output of the program is not a row of the menu.
  case notARow(program: String)
  /// The output of the program is not UTF-8 text.
  case notText(program: String)
  case tooMuchOutput(program: String)
  /// The user's timeout passed.
  case timedOut
  case left
  /// The menu was answered faster, or more often, than a user can.
  case hasty
}
