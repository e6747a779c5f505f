// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ConfigUnset {
  static let command: Command = Command(
    "unset",
    "Remove a setting",
    discussion: "Comments and other settings in the file are kept.",
    exitStatuses: [0, 64, 66, 73, 74, 78],
    members: SettingRow.shape.rows,
    options: Config.OneSetting(),
    arguments: Config.OneSetting.arguments,
    run: run
  )

  static func run(_ options: Config.OneSetting, in context: Context) async throws -> Report {
    try await unset(options.key(in: context), in: context)
  }

  static func unset(_ key: ConfigKey, in context: Context) async throws -> Report {
    try await context.config.unset(key)
    return Report(
      SettingRow(key: key, value: nil, path: context.config.path).document,
      status: StyledText("unset \(key.name) in \(context.config.path)")
    )
  }
}
