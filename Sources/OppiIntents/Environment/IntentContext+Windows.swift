// SPDX-License-Identifier: MIT

package import OppiSystem

extension IntentContext {
  /// The terminal windows of this user's desktop.
  package var terminalWindow: TerminalWindow {
    TerminalWindow(environment: environment, programs: programs)
  }
}
