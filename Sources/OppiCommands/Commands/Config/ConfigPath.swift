// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi config path`.
enum ConfigPath {
  struct Options: Sendable, Equatable {}

  static let command = CommandSpec<Context>(
    "path",
    "Print where the settings are",
    options: Options(),
    arguments: [],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws {
    if context.console.policy.isJSON {
      return try context.console.print(["path": .string(context.config.path)])
    }
    try context.console.print(context.config.path)
  }
}
