// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

/// What the checks look at besides an ``IntentContext``: the parts of the program above the flows.
package protocol DoctorSubject: Sendable {
  var intents: IntentContext { get }
  /// What starts the program; `nil` for a person at a shell.
  var trigger: Trigger? { get }
  /// The name of the program on the command line.
  var programName: String { get }
  /// The units that setup installs for the background, the first of which does what the others do.
  var backgroundUnits: [UserManager.Unit] { get }

  /// Returns the paired servers that the command is about.
  func servers() throws -> [PairedServer]

  /// Returns the names of all shortcuts.
  func shortcuts() throws -> [ShortcutName]

  /// Returns the workspace that a shortcut names, if any.
  func workspace(of shortcut: ShortcutName) throws -> String?

  /// Returns the words of `notify.command`, if it is set.
  func notifyCommand() throws -> [String]?

  /// Returns the completion script of a shell and the paths where the shell looks for it; `nil` for a
  /// shell without completions.
  func completion(for shell: String) -> (script: String, places: [String])?
}
