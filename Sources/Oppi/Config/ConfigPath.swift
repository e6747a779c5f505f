// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

enum ConfigPath {
  struct Options: Sendable, Equatable {}

  static let command: Command = Command(
    "path",
    "Print the path of the settings file",
    members: shape.rows,
    options: Options(),
    arguments: [],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    Report(shape.document(of: context.config), .text(context.config.path))
  }

  private static let shape: JSONShape<ConfigFile> = [
    .text("path", "The path of the settings file") { $0.path }
  ]
}
