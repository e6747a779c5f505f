// SPDX-License-Identifier: MIT

/// Failures of `oppi pick`.
extension OppiError {
  init(_ error: PickError) {
    switch error {
    case .nothingToPick(let kind):
      self.init(.noInput, kind?.absence ?? "no workspaces and no shortcuts")
    case .nothingWritten: self.init(.interrupted, "the prompt is empty; nothing was sent")
    case .noMenu: self.init(.usage, "no menu program available for text input")
    case .noInput(let shortcut):
      self.init(
        .usage,
        "cannot run shortcut \(shortcut) from a menu: it reads standard input",
        hints: ["run it with input: ... | oppi run \(shortcut)"]
      )
    case .noWindow(let remedy):
      self.init(
        .badConfiguration,
        "no terminal program found to open a window",
        hints: ["set $TERMINAL"] + (remedy.map { ["or run: \($0)"] } ?? [])
      )
    case .cannotStart(let program, let cause):
      self.init(.badConfiguration, "cannot start \(program): \(cause)")
    }
  }
}
