// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem

extension MenuError: ExplainedError {
  var explanation: OppiError { OppiError(of: self) }
}

extension OppiError {
  fileprivate init(of error: MenuError) {
    switch error {
    case .noSuchProgram, .noPlace, .noProgram, .cannotStart, .notShown, .hasty:
      self.init(unusable: error)
    case .notARow(let name):
      self.init(.badInput, "the output of \(name) is not a row of the menu")
    case .notText(let name):
      self.init(.badInput, "the output of \(name) is not valid UTF-8")
    case .tooMuchOutput(let name):
      self.init(.badInput, "the output of \(name) is larger than 1 MiB")
    case .timedOut: self.init(.waitTimedOut, "--timeout elapsed while the menu was open")
    case .left: self.init(.interrupted, "menu cancelled")
    }
  }

  /// A menu program that is missing or does not work.
  private init(unusable error: MenuError) {
    let choice = "set another menu program with: oppi config set picker PROGRAM"
    switch error {
    case .noSuchProgram(let program):
      self.init(
        .badConfiguration,
        "menu program '\(program.safeLine(limit: 80))' not found",
        hints: ["install it, or set another one: oppi config set picker PROGRAM"]
      )
    case .noPlace(let name, let needsTerminal):
      let need = needsTerminal ? "a terminal" : "WAYLAND_DISPLAY or DISPLAY"
      self.init(.badConfiguration, "\(name) cannot show a menu: it requires \(need)")
    case .noProgram(let fitting):
      let remedy =
        fitting.isEmpty
        ? "run oppi on a terminal, or with WAYLAND_DISPLAY or DISPLAY set"
        : "install \(fitting.alternatives), or: oppi config set picker PROGRAM"
      self.init(.badConfiguration, "no menu program found", hints: [remedy])
    case .cannotStart(let name, let cause):
      self.init(.badConfiguration, "cannot start \(name): \(cause)", hints: [choice])
    case .notShown(let name, let reason, let status):
      let why = reason ?? "it exited with \(status)"
      self.init(.badConfiguration, "\(name) could not show a menu: \(why)", hints: [choice])
    default:
      self.init(
        .badConfiguration,
        "nothing was decided: each approval was too fast or not confirmed",
        hints: [choice]
      )
    }
  }
}
