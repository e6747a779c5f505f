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
    discussion: """
      In a pipe each line has, with tabs between them: name, value (empty where it is not set), and \
      what it is for.
      """,
    members: shape.rows,
    options: Options(),
    arguments: [],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let settings = try await Config.load(in: context)
    var values: [String: String] = [:]
    var table = Table()
    for key in ConfigKey.all {
      values[key.name] = try settings.text(of: key)
      table.add([
        StyledText(key.name, .name), StyledText(values[key.name] ?? ""),
        StyledText(key.summary, .dim),
      ])
    }
    let texts = values
    return Report(shape.document(of: texts), .table(table))
  }

  private static let shape = JSONShape<[String: String]>(
    ConfigKey.all.map { key in
      .member(key.name, "The setting's value, or null") {
        $0[key.name].map(JSONValue.string) ?? .null
      }
    }
  )
}
