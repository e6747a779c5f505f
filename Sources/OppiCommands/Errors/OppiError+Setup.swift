// SPDX-License-Identifier: MIT

import OppiModel

/// Failures of `oppi setup`.
extension OppiError {
  /// `DESTDIR` is a relative path.
  static func relativeStage(_ path: String) -> OppiError {
    OppiError(.usage, "DESTDIR must be an absolute path, not '\(path.safeLine())'")
  }

  /// A path of this program that a systemd unit cannot run.
  static func unusableProgram(_ path: String) -> OppiError {
    OppiError(
      .badConfiguration,
      "a systemd unit cannot run \(path.safeLine())",
      hints: ["install oppi in another folder, for example ~/.local/bin"]
    )
  }

  /// All files that setup would write exist and are not its own.
  static let nothingInstalled = OppiError(
    .cannotCreate,
    "nothing was installed: other files have the same paths",
    hints: ["move them away, or rename the program"]
  )
}
