// SPDX-License-Identifier: MIT

/// What happens to a terminal while a program draws on it.
package enum TerminalEvent: Sendable, Equatable {
  case resized
  /// Ctrl-Z: the program is to finish its frame and to suspend itself.
  case suspendRequested
  /// The program goes on after a stop that it did not choose, or has come into the foreground:
  /// others may have drawn since.
  case continued
}
