// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// What the checks need besides an ``IntentContext``, from the layers above.
protocol DoctorSubject: Sendable {
  var intents: IntentContext { get }
  /// What starts the program; `nil` for a user at a shell.
  var trigger: Trigger? { get }
  var programName: String { get }
  /// The background units that setup installs; the first does the work of all others.
  var backgroundUnits: [UserManager.Unit] { get }

  /// The paired servers to check.
  func servers() throws -> [PairedServer]

  func shortcuts() throws -> [ShortcutName]

  /// The workspace in a shortcut's file, if any.
  func workspace(of shortcut: ShortcutName) throws -> String?

  /// The words of `notify.command`; `nil` if it is not set.
  func notifyCommand() throws -> [String]?

  /// A shell's completion script, and the paths where the shell looks for it; `nil` for a shell
  /// without completions.
  func completion(for shell: String) -> (script: String, places: [String])?
}
