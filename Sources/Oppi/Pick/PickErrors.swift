// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem

extension MenuError: ExplainedError {
  var explanation: OppiError {
    switch self {
    case .noSuchProgram(let program):
      OppiError(
        .badConfiguration,
        "menu program '\(program.safeLine(limit: 80))' not found",
        hints: ["install it, or set another one: oppi config set picker PROGRAM"]
      )
    case .noPlace(let name, let needsTerminal):
      OppiError(
        .badConfiguration,
        "\(name) cannot show a menu: it requires "
          + (needsTerminal ? "a terminal" : "WAYLAND_DISPLAY or DISPLAY")
      )
    case .noProgram(let fitting):
      OppiError(
        .badConfiguration,
        "no menu program found",
        hints: [
          fitting.isEmpty
            ? "run oppi on a terminal, or with WAYLAND_DISPLAY or DISPLAY set"
            : "install \(fitting.alternatives), or: oppi config set picker PROGRAM"
        ]
      )
    case .cannotStart(let name, let cause): .otherMenu("cannot start \(name): \(cause)")
    case .notShown(let name, let reason, let status):
      .otherMenu("\(name) could not show a menu: \(reason ?? "it exited with \(status)")")
    case .hasty: .otherMenu("nothing was decided: each approval was too fast or not confirmed")
    case .notARow(let name): OppiError(.badInput, "the output of \(name) is not a row of the menu")
    case .notText(let name): OppiError(.badInput, "the output of \(name) is not valid UTF-8")
    case .tooMuchOutput(let name):
      OppiError(.badInput, "the output of \(name) is larger than 1 MiB")
    case .timedOut: OppiError(.waitTimedOut, "--timeout elapsed while the menu was open")
    case .left: OppiError(.interrupted, "menu cancelled")
    }
  }
}

extension OppiError {
  /// A menu program that does not work.
  fileprivate static func otherMenu(_ message: String) -> OppiError {
    let choice = "set another menu program with: oppi config set picker PROGRAM"
    return OppiError(.badConfiguration, message, hints: [choice])
  }
}
