// SPDX-License-Identifier: MIT

import OppiModel

extension OppiError {
  init(_ error: SetupError) {
    switch error {
    case .relativeStage(let path):
      self.init(.usage, "DESTDIR must be an absolute path, not '\(path.safeLine())'")
    case .unusableProgram(let path):
      self.init(
        .badConfiguration,
        "a systemd unit cannot run \(path.safeLine())",
        hints: ["install oppi in another folder, for example ~/.local/bin"]
      )
    }
  }

  static let nothingInstalled = OppiError(
    .cannotCreate,
    "nothing was installed: other files have the same paths",
    hints: ["move them away, or rename the program"]
  )
}
