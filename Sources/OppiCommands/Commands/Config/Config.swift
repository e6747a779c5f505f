// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// `oppi config`: the user's settings.
enum Config {
  static let command: Command = Command(
    "config",
    "Show and change settings",
    group: Group.setup,
    defaultSubcommand: "show",
    subcommands: [
      ConfigShow.command, ConfigGet.command, ConfigSet.command, ConfigUnset.command,
      ConfigHere.command, ConfigPath.command,
    ]
  )

  /// The options of a verb that is about one setting.
  struct OneSetting: Sendable, Equatable {
    var name = ""
    var workspace: String?

    static let arguments: [Argument<OneSetting>] = [
      .ownSetting(\.workspace),
      .positional(
        "name",
        required: true,
        completion: .choices(ConfigKey.all.map(\.name)),
        \.name,
        "The setting"
      ),
    ]
  }

  /// Reads the settings and warns about names that mean nothing.
  static func load(in context: Context) async throws(FileError) -> ConfigFile.Settings {
    let settings = try context.config.load()
    for name in settings.unknownNames {
      let close = Suggestions.closest(to: name, among: names(beside: name)).first
      let hint = close.map { "; did you mean \($0.asSetting)?" } ?? ""
      await context.console.warn(
        "\(context.config.path): no setting \(name.safeLine().asSetting)\(hint)"
      )
    }
    return settings
  }

  /// The names of settings where one that means nothing stands.
  private static func names(beside name: String) -> [String] {
    guard let end = name.lastIndex(of: "\"") else { return ConfigKey.all.map(\.name) }
    return ConfigKey.ofWorkspaces.map { "\(name[...end]).\($0.name)" }
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
    .member("value", "Its value, or null if it is not set") {
      $0.value.map(JSONValue.string) ?? .null
    },
    .member("path", "The path of the settings file") { .string($0.path) },
  ]

  var document: JSONValue { Self.shape.document(of: self) }
}
