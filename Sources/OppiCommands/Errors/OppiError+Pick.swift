// SPDX-License-Identifier: MIT

/// Failures of `oppi pick`, before and after a choice.
extension OppiError {
  /// The user left the editor without a text.
  static var nothingWritten: OppiError {
    OppiError(.interrupted, "the prompt is empty; nothing was sent")
  }

  static var noMenu: OppiError { OppiError(.usage, "no menu program to enter a text") }

  /// No terminal window can be opened; `remedy` is a command that does the same.
  static func noWindow(orElse remedy: String?) -> OppiError {
    OppiError(
      .badConfiguration,
      "no terminal program found to open a window",
      hints: ["set $TERMINAL"] + (remedy.map { ["or run: \($0)"] } ?? [])
    )
  }

  /// The program that opens a window cannot be started.
  static func cannotStart(_ program: String, because error: any Error) -> OppiError {
    OppiError(.badConfiguration, "cannot start \(program): \(error)")
  }

  static func noInputInMenu(for shortcut: String) -> OppiError {
    OppiError(
      .usage,
      "cannot run shortcut \(shortcut) from a menu: it reads standard input",
      hints: ["run it with input: ... | oppi run \(shortcut)"]
    )
  }

  /// A menu would be empty; `nil` for the menu of everything.
  static func nothingToPick(_ kind: PickChoice.Kind?) -> OppiError {
    OppiError(.noInput, kind?.absence ?? "no workspaces and no shortcuts")
  }
}
