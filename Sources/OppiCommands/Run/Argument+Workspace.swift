// SPDX-License-Identifier: MIT

import CommandTable

/// The option `-w`, the same for all commands.
extension Argument {
  static func workspace(
    _ field: @autoclosure @escaping Field<Options, String?>,
    _ help: String
  ) -> Self {
    .option("workspace", short: "w", placeholder: "WORKSPACE", completion: words, field(), help)
  }

  static func workspace(
    _ field: @autoclosure @escaping Field<Options, [String]>,
    _ help: String
  ) -> Self {
    .option("workspace", short: "w", placeholder: "WORKSPACE", completion: words, field(), help)
  }

  private static var words: Completion { .dynamic("workspace") }
}
