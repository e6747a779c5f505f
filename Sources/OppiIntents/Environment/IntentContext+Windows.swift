// SPDX-License-Identifier: MIT

package import OppiSystem

extension IntentContext {
  package var terminalWindow: TerminalWindow {
    TerminalWindow(environment: environment, programs: programs)
  }

  /// Goes on as another command of this program, in a terminal window.
  ///
  /// - Parameters:
  ///   - words: The words of the command.
  ///   - remedy: What else can be run where there is no window.
  /// - Returns: The program that opens the window.
  /// - Throws: `PickError`; `TerminalWindow.Failure`.
  package func openWindow(running words: [String], orElse remedy: String? = nil) throws -> String {
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
