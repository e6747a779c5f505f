// SPDX-License-Identifier: MIT

/// What fails after a choice, or before there is one.
extension OppiError {
  /// The person has left the editor without a text.
  static var nothingWritten: OppiError { OppiError(.interrupted, "nothing was written") }

  /// A text is needed, and nothing can ask for it.
  static var noMenu: OppiError { OppiError(.usage, "there is no menu to type in") }

  /// No terminal window can be opened; `remedy` is a command that does the same.
  static func noWindow(orElse remedy: String?) -> OppiError {
    OppiError(
      .badConfiguration,
      "no terminal to open a window of",
      hints: ["set $TERMINAL"] + (remedy.map { ["or run: \($0)"] } ?? [])
    )
  }

  /// A program that would open a window cannot be started.
  static func cannotStart(_ program: String, because error: any Error) -> OppiError {
    OppiError(.badConfiguration, "cannot start \(program): \(error)")
  }

  /// A shortcut reads standard input.
  static func noInputInMenu(for shortcut: String) -> OppiError {
    OppiError(
      .usage,
      "the shortcut \(shortcut) reads standard input, which a menu does not have",
      hints: ["give it some: ... | oppi run \(shortcut)"]
    )
  }

  /// A menu would be empty; `nil` for the menu of everything.
  static func nothingToPick(_ kind: PickChoice.Kind?) -> OppiError {
    OppiError(.noInput, kind?.absence ?? "no workspaces and no shortcuts")
  }
}
