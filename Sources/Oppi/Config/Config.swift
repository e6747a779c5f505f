// SPDX-License-Identifier: MIT

import CommandTable
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

  /// The options of a command for one setting.
  struct OneSetting: Sendable, Equatable {
    var name = ""
    var workspace: String?

    static let arguments: [Argument<OneSetting>] = [
      .ownSetting(\.workspace), .setting(\.name),
    ]

    func key(in context: Context) async throws -> ConfigKey {
      try await Config.key(named: name, ofWorkspace: workspace, in: context)
    }
  }

  /// Loads the settings, and warns of unknown names.
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

  /// The valid names at the position of an unknown name.
  private static func names(beside name: String) -> [String] {
    guard let end = name.lastIndex(of: "\"") else { return ConfigKey.all.map(\.name) }
    return ConfigKey.ofWorkspaces.map { "\(name[...end]).\($0.name)" }
  }
}

/// A setting as the file has it.
struct SettingRow {
  let key: ConfigKey
  /// `nil` if it is not set.
  let value: String?
  let path: String

  static let shape: JSONShape<SettingRow> = [
    .text("name", "The setting") { $0.key.name },
    .text("value", "Its value, or null if it is not set") { $0.value },
    .text("path", "The path of the settings file") { $0.path },
  ]

  var document: JSONValue { Self.shape.document(of: self) }
}
