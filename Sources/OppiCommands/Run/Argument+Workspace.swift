// SPDX-License-Identifier: MIT

import CommandTable

/// `-w`, as every command has it.
extension Argument {
  /// Declares the option that names one workspace.
  static func workspace(
    _ field: @autoclosure @escaping Field<Options, String?>,
    _ help: String
  ) -> Self {
    .option("workspace", short: "w", placeholder: "WORKSPACE", completion: words, field(), help)
  }

  /// Declares the option that names workspaces.
  static func workspace(
    _ field: @autoclosure @escaping Field<Options, [String]>,
    _ help: String
  ) -> Self {
    .option("workspace", short: "w", placeholder: "WORKSPACE", completion: words, field(), help)
  }

  private static var words: Completion { .dynamic("workspace") }
}
