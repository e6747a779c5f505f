// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

extension Scratch {
  /// Runs a program in the folder with an environment that depends on nothing but `PATH`; the
  /// folder's own programs, in `bin`, come first.
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
  /// Everything at once.
  var transcript: String { output + errors + "[exit \(status)]" }
}
