// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

extension Scratch {
  /// Runs a program in the folder, with the programs of its `bin` first in `PATH` and an otherwise
  /// fixed environment.
  func run(_ name: String, _ arguments: [String], input: String = "") async throws -> Outcome {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try await Executable.run(
      ["/usr/bin/env", name] + arguments,
      input: input,
      environment: [
        "PATH": "\(self.path("bin")):\(path)", "HOME": folder, "LANG": "C.UTF-8", "TERM": "xterm",
        "ZDOTDIR": folder,
      ],
      in: url
    )
  }
}

extension Outcome {
  /// Output, errors and exit status as one text.
  var transcript: String { output + errors + "[exit \(status)]" }
}
