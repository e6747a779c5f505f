// SPDX-License-Identifier: MIT

import OppiModel

extension OppiError {
  static func relativeStage(_ path: String) -> OppiError {
    OppiError(.usage, "DESTDIR must be an absolute path, not '\(path.safeLine())'")
  }

  static func unusableProgram(_ path: String) -> OppiError {
    OppiError(
      .badConfiguration,
      "a systemd unit cannot run \(path.safeLine())",
      hints: ["install oppi in another folder, for example ~/.local/bin"]
    )
  }

  /// Other files exist at all paths that setup would write.
  static let nothingInstalled = OppiError(
    .cannotCreate,
    "nothing was installed: other files have the same paths",
    hints: ["move them away, or rename the program"]
  )
}
