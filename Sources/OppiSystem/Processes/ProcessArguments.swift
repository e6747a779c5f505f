// SPDX-License-Identifier: MIT

package enum ProcessArguments {
  /// The words, the program's name first; `nil` for a word that is not UTF-8.
  package static func current() -> [String?] {
    (0..<Int(CommandLine.argc)).map { index in
      CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
    }
  }
}
