// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

extension OppiError {
  init(_ error: WatchError) {
    switch error {
    case .runsAlready:
      self.init(
        .locked,
        "oppi watch is already running",
        hints: ["show the status with: oppi status"]
      )
    }
  }

  init(_ error: TerminalWindow.Failure) {
    switch error {
    case .unreadableSetting(let text):
      self.init(
        .badConfiguration,
        "$TERMINAL \(ProgramLine.expectation), not '\(text.safeLine())'"
      )
    }
  }
}
