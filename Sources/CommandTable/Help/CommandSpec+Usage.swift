// SPDX-License-Identifier: MIT

extension CommandSpec {
  /// The usage line of the command with the given full name.
  func usage(as fullName: String, isRoot: Bool) -> String {
    let words =
      isRoot
      ? ["[OPTION]...", "COMMAND", "[ARGUMENT]..."]
      : isNoun
        ? [defaultSubcommand == nil ? "COMMAND" : "[COMMAND]", "[ARGUMENT]..."]
        : (options.isEmpty ? [] : ["[OPTION]..."]) + positionals.map(\.usage)
    return ([fullName] + words).joined(separator: " ")
  }
}
