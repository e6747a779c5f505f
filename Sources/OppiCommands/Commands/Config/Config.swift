// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// `oppi config`: the user's settings.
enum Config {
  static let command = Command(
    "config",
    "Show and change settings",
    group: Group.setup,
    defaultSubcommand: "show",
    subcommands: [ConfigShow.command, ConfigSet.command, ConfigPath.command]
  )

  /// Reads the settings and warns about names that mean nothing.
  static func load(in context: Context) async throws(FileError) -> ConfigFile.Settings {
    let settings = try context.config.load()
    for name in settings.unknownNames {
      let close = Suggestions.closest(to: name, among: ConfigKey.all.map(\.name)).first
      let hint = close.map { "; did you mean '\($0)'?" } ?? ""
      await context.console.warn("\(context.config.path): no setting '\(name.safeLine())'\(hint)")
    }
    return settings
  }
}
