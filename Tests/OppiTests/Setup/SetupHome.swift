// SPDX-License-Identifier: MIT

import Simulation
import Testing

@testable import OppiTestSupport

/// The files of `oppi setup` in a world without other programs in `PATH`.
enum SetupHome {
  static let variables = ["PATH": "/nowhere"]
  static let bash = "\(World.home)/.local/share/bash-completion/completions/oppi"
  static let fish = "\(World.home)/.config/fish/completions/oppi.fish"
  static let unit = "\(World.home)/.config/systemd/user/oppi-watch.service"
  static let record = "\(World.home)/.local/state/oppi/setup.json"
  static let pages = "\(World.home)/.local/share/man"
}

extension World {
  func setup(_ words: String...) async -> Program.Outcome {
    await oppi(["setup"] + words, environment: SetupHome.variables)
  }
}

extension Program.Outcome {
  /// The last column of each line, which is the state of a file.
  var fileStates: [String] { lines.compactMap { $0.split(separator: "\t").last.map(String.init) } }
}
