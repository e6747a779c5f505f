// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi config show`.
enum ConfigShow {
  struct Options: Sendable, Equatable {}

  static let command = CommandSpec<Context>(
    "show",
    "Show all settings",
    options: Options(),
    arguments: [],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws {
    let settings = try Config.load(in: context)
    if context.console.policy.isJSON {
      let members = ConfigKey.all.map { ($0.name, settings[$0].map(JSONValue.string) ?? .null) }
      return try context.console.print(.object(Dictionary(uniqueKeysWithValues: members)))
    }
    var table = Table()
    for key in ConfigKey.all {
      table.add([
        StyledText(key.name, .name), StyledText(settings[key] ?? ""),
        StyledText(key.summary, .dim),
      ])
    }
    try context.console.print(table)
  }
}
