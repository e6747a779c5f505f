// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

enum ConfigGet {
  static let command: Command = Command(
    "get",
    "Print the value of a setting",
    discussion: "If the setting is not set, nothing is printed and the status is 66.",
    examples: [
      CommandExample("oppi config get workspace", "Print the default workspace")
    ],
    exitStatuses: [0, 64, 66, 78],
    members: SettingRow.shape.rows,
    options: Config.OneSetting(),
    arguments: Config.OneSetting.arguments,
    run: run
  )

  static func run(_ options: Config.OneSetting, in context: Context) async throws -> Report {
    let key = try await options.key(in: context)
    guard let value = try await Config.load(in: context).text(of: key) else {
      throw OppiError.notSet(key, path: context.config.path)
    }
    let row = SettingRow(key: key, value: value, path: context.config.path)
    return Report(row.document, .text(value))
  }
}
