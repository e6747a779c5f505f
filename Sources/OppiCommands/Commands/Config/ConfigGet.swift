// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// `oppi config get`.
enum ConfigGet {
  static let command: Command = Command(
    "get",
    "Print the value of a setting",
    discussion: "A setting that is not set prints nothing and has status 66.",
    examples: [
      CommandExample("oppi config get workspace", "The workspace that ask uses when none is named")
    ],
    exitStatuses: [0, 64, 66, 78],
    members: SettingRow.shape.rows,
    options: Config.OneSetting(),
    arguments: Config.OneSetting.arguments,
    run: run
  )

  static func run(_ options: Config.OneSetting, in context: Context) async throws -> Report {
    let key = try await Config.key(
      named: options.name,
      ofWorkspace: options.workspace,
      in: context
    )
    guard let value = try await Config.load(in: context).text(of: key) else {
      throw OppiError(
        .notSet,
        "\(key.name.asSetting) is not set in \(context.config.path)",
        hints: key.commandWords.map { ["set it with: oppi config set \($0) VALUE"] } ?? []
      )
    }
    let row = SettingRow(key: key, value: value, path: context.config.path)
    return Report(row.document, .text(value))
  }
}
