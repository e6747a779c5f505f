// SPDX-License-Identifier: MIT

package import OppiSystem

extension IntentContext {
  package var terminalWindow: TerminalWindow {
    TerminalWindow(environment: environment, programs: programs)
  }
}
