// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi config show`.
enum ConfigShow {
  struct Options: Sendable, Equatable {}

  static let command = Command(
    "show",
    "Show all settings",
    members: shape.rows,
    options: Options(),
    arguments: [],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let settings = try await Config.load(in: context)
    var table = Table()
    for key in ConfigKey.all {
      table.add([
        StyledText(key.name, .name), StyledText(settings[key] ?? ""),
        StyledText(key.summary, .dim),
      ])
    }
    return Report(shape.document(of: settings), .table(table))
  }

  private static let shape = JSONShape<ConfigFile.Settings>(
    ConfigKey.all.map { key in
      .member(key.name, "\(key.summary); null where it is unset") {
        $0[key].map(JSONValue.string) ?? .null
      }
    }
  )
}
