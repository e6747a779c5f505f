// SPDX-License-Identifier: MIT

/// The words of the process's own command line.
package enum ProcessArguments {
  /// Returns the words in order, the program's name first; `nil` stands for one that is not UTF-8,
  /// which the standard library would repair into other text.
  package static func current() -> [String?] {
    (0..<Int(CommandLine.argc)).map { index in
      CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
    }
  }
}
