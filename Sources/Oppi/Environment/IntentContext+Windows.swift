// SPDX-License-Identifier: MIT

import OppiSystem

extension IntentContext {
  var terminalWindow: TerminalWindow {
    TerminalWindow(environment: environment, programs: programs)
  }

  /// Opens a terminal window that runs another command of this program.
  ///
  /// - Parameters:
  ///   - words: The words of the command.
  ///   - remedy: A command for machines on which no window can be opened.
  /// - Returns: The program that opens the window.
  /// - Throws: `PickError`; `TerminalWindow.Failure`.
  func openWindow(running words: [String], orElse remedy: String? = nil) throws -> String {
    guard let command = try terminalWindow.command(running: [programPath()] + words) else {
      throw PickError.noWindow(orElse: remedy)
    }
    do {
      try programs.startDetached(command)
    } catch {
      throw PickError.cannotStart(program: command[0], because: error)
    }
    return command[0]
  }
}
