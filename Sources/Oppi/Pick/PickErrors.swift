// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem

/// Failures of `oppi pick`.
extension OppiError {
  /// The menu would be empty; the kind is `nil` for the menu of everything.
  static func nothingToPick(_ kind: PickChoice.Kind?) -> OppiError {
    OppiError(.noInput, kind?.absence ?? "no workspaces and no shortcuts")
  }

  /// The editor was closed without a text.
  static let nothingWritten = OppiError(.interrupted, "the prompt is empty; nothing was sent")

  /// A text is required, but no menu program can ask for it.
  static let noMenu = OppiError(.usage, "no menu program available for text input")

  /// A shortcut reads standard input.
  static func readsInput(shortcut: String) -> OppiError {
    OppiError(
      .usage,
      "cannot run shortcut \(shortcut) from a menu: it reads standard input",
      hints: ["run it with input: ... | oppi run \(shortcut)"]
    )
  }

  /// No terminal window can be opened; `orElse` is a command that does the same.
  static func noWindow(orElse remedy: String?) -> OppiError {
    OppiError(
      .badConfiguration,
      "no terminal program found to open a window",
      hints: ["set $TERMINAL"] + (remedy.map { ["or run: \($0)"] } ?? [])
    )
  }

  /// The program that would open a window cannot be started.
  static func cannotOpenWindow(program: String, because cause: any Error) -> OppiError {
    OppiError(.badConfiguration, "cannot start \(program): \(cause)")
  }
}

extension OppiError {
  init(_ error: MenuError) {
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
