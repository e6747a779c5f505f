// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem

extension OppiError {
  init(_ error: MenuError) {
    switch error {
    case .noSuchProgram, .noPlace, .noProgram, .cannotStart, .notShown, .hasty:
      self.init(unusable: error)
    case .notARow(let name):
      self.init(.badInput, "what \(name) has printed is no row of the menu")
    case .notText(let name):
      self.init(.badInput, "\(name) has printed what is not text in UTF-8")
    case .tooMuchOutput(let name): self.init(.badInput, "\(name) has printed more than 1 MiB")
    case .timedOut: self.init(.waitTimedOut, "--timeout passed while the menu was shown")
    case .left: self.init(.interrupted, "nothing was chosen")
    }
  }

  /// The program that shows menus is missing or does not work.
  private init(unusable error: MenuError) {
    let choice = "choose another with: oppi config set picker PROGRAM"
    switch error {
    case .noSuchProgram(let program):
      self.init(
        .badConfiguration,
        "there is no program '\(program.safeLine(limit: 80))' to show a menu with",
        hints: ["install it, or choose another: oppi config set picker PROGRAM"]
      )
    case .noPlace(let name, let needsTerminal):
      let need = needsTerminal ? "a terminal" : "WAYLAND_DISPLAY or DISPLAY"
      self.init(.badConfiguration, "\(name) cannot show a menu here: it needs \(need)")
    case .noProgram(let fitting):
      let remedy =
        fitting.isEmpty
        ? "run it on a terminal, or where WAYLAND_DISPLAY or DISPLAY is set"
        : "install \(fitting.alternatives), or: oppi config set picker PROGRAM"
      self.init(.badConfiguration, "there is no program to show a menu with", hints: [remedy])
    case .cannotStart(let name, let cause):
      self.init(.badConfiguration, "cannot start \(name): \(cause)", hints: [choice])
    case .notShown(let name, let reason, let status):
      let why = reason ?? "it ended with \(status)"
      self.init(.badConfiguration, "\(name) could not show a menu: \(why)", hints: [choice])
    default:
      self.init(
        .badConfiguration,
        "nothing was decided: the menu was answered too fast, or too often",
        hints: [choice]
      )
    }
  }
}
