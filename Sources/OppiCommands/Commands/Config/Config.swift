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
    subcommands: [
      ConfigShow.command, ConfigGet.command, ConfigSet.command, ConfigUnset.command,
      ConfigPath.command,
    ]
  )

  /// The options of a verb that is about one setting.
  struct OneSetting: Sendable, Equatable {
    var name = ""

    static let argument: Argument<OneSetting> = .positional(
      "name",
      required: true,
      completion: .choices(ConfigKey.all.map(\.name)),
      \.name,
      "The setting"
    )
  }

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

/// One setting as it is in the file.
struct SettingRow {
  let key: ConfigKey
  /// `nil` where it is not set.
  let value: String?
  let path: String

  static let shape: JSONShape<SettingRow> = [
    .member("name", "The setting") { .string($0.key.name) },
    .member("value", "Its value; null where it is not set") {
      $0.value.map(JSONValue.string) ?? .null
    },
    .member("path", "The file of the settings") { .string($0.path) },
  ]

  var document: JSONValue { Self.shape.document(of: self) }
}
