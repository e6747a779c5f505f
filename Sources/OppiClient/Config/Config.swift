// SPDX-License-Identifier: MIT

import CommandTable
package import OppiSystem
package import OppiTerminal
import OppiText

/// `oppi config`: the user's settings.
package enum Config {
  package static let command: Command = Command(
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
    @Required var name: String
    var workspace: String?

    static let arguments: [Argument<OneSetting>] = [
      .ownSetting(\.workspace), .setting(\.$name),
    ]

    func key(in context: Context) async throws -> ConfigKey {
      try await Config.key(named: name, ofWorkspace: workspace, in: context)
    }
  }

  /// Loads the settings, and warns of unknown names.
  package static func load(in context: Context) async throws(FileError) -> ConfigFile.Settings {
    let settings = try context.config.load()
    for name in settings.unknownNames {
      let close = Suggestions.closest(to: name, among: names(beside: name)).first
      let hint = close.map { "; did you mean \($0.asSetting)?" } ?? ""
      await context.output.warn(
        "\(context.config.path): no setting \(name.safeLine().asSetting)\(hint)"
      )
    }
    return settings
  }

  /// The valid names at the position of an unknown name.
  private static func names(beside name: String) -> [String] {
    guard let end = name.lastIndex(of: "\"") else { return ConfigKey.withColors.map(\.name) }
    return ConfigKey.ofWorkspaces.map { "\(name[...end]).\($0.name)" }
  }
}

extension Config {
  /// A setting as the file has it; its value is `nil` if it is not set.
  static let shape: JSONShape<(key: ConfigKey, value: String?, path: String)> = [
    .text("name", "The setting") { $0.key.name },
    .text("value", "Its value, or null if it is not set") { $0.value },
    .text("path", "The path of the settings file") { $0.path },
  ]

  /// The report of a setting, or of a change, which `verb` names.
  static func report(
    _ key: ConfigKey,
    _ value: String?,
    _ text: Report.Text = .nothing,
    did verb: String? = nil,
    in context: Context
  ) -> Report {
    let path = context.config.path
    return Report(
      shape.document(of: (key, value, path)),
      text,
      status: verb.map { StyledText("\($0) \(key.name) in \(path)") }
    )
  }
}

extension Config {
  /// The key of a setting, for all workspaces or for one.
  ///
  /// For a workspace it uses the name that the file already has for it.
  static func key(
    named name: String,
    ofWorkspace word: String?,
    in context: Context
  ) async throws -> ConfigKey {
    let key = try ConfigKey.named(name)
    guard let word else { return key }
    guard ConfigKey.ofWorkspaces.contains(key) else {
      let names = ConfigKey.ofWorkspaces.map(\.name).alternatives
      throw OppiError(
        .usage,
        "'\(key.name)' applies to all workspaces; give it without -w",
        hints: ["settings of a workspace: \(names)"]
      )
    }
    let names = try context.config.load().workspacesWithSettings()
    if names.contains(word) { return key.inWorkspace(word) }
    guard
      let workspace = try await workspace(named: word, from: .option("--workspace"), in: context)
    else {
      return key.inWorkspace(word)
    }
    let entries = WorkspaceEntries(names: names, known: await context.knownWorkspaces())
    let isWholeName = entries.workspaces(named: word).count == 1
    let entry = entries.names(of: workspace).first { entries.workspaces(named: $0).count == 1 }
    return key.inWorkspace(entry ?? (isWholeName ? word : workspace.qualifiedName))
  }

  /// The workspace of a name in the settings; `nil` if no server is paired or its server cannot be
  /// queried.
  ///
  /// - Throws: If the workspace does not exist, or the name is ambiguous.
  static func workspace(
    named word: String,
    from source: ValueSource? = nil,
    in context: Context
  ) async throws -> ServerWorkspace? {
    guard try !context.servers().isEmpty else { return nil }
    return try await context.workspace(toSave: word, from: source)
  }
}

extension Argument {
  /// Declares the option for a workspace's own setting.
  static func ownSetting(
    _ field: @autoclosure @escaping Field<Options, String?>
  ) -> Argument {
    .workspace(field(), "Apply to this workspace only")
  }
}

enum ConfigGet {
  static let command: Command = Command(
    "get",
    "Print the value of a setting",
    discussion: "If the setting is not set, nothing is printed and the status is 66.",
    examples: [
      ("oppi config get workspace", "Print the default workspace")
    ],
    exitStatuses: [0, 64, 66, 78],
    members: Config.shape.rows,
    options: Config.OneSetting(),
    arguments: Config.OneSetting.arguments,
    run: run
  )

  static func run(_ options: Config.OneSetting, in context: Context) async throws -> Report {
    let key = try await options.key(in: context)
    guard let value = try await Config.load(in: context).text(of: key) else {
      throw OppiError(
        .notSet,
        "\(key.name.asSetting) is not set in \(context.config.path)",
        hints: key.commandWords.map { ["set it with: oppi config set \($0) VALUE"] } ?? []
      )
    }
    return Config.report(key, value, .text(value), in: context)
  }
}

enum ConfigPath {
  static let command: Command = Command(
    "path",
    "Print the path of the settings file",
    members: shape.rows,
    options: NoOptions(),
    run: run
  )

  static func run(_: NoOptions, in context: Context) async throws -> Report {
    Report(shape.document(of: context.config), .text(context.config.path))
  }

  private static let shape: JSONShape<ConfigFile> = [
    .text("path", "The path of the settings file") { $0.path }
  ]
}

enum ConfigShow {
  static let command: Command = Command(
    "show",
    "Show all settings",
    discussion: """
      Colours that are set, and entries for folders and workspaces, come after the other settings. A terminal \
      also shows the default of a setting that is not set, and JSON has it in defaults. In a pipe \
      each line has, separated by tabs: name, value (empty if not set), meaning, and path of the \
      file.
      """,
    members: shape.rows,
    options: NoOptions(),
    run: run
  )

  static func run(_: NoOptions, in context: Context) async throws -> Report {
    let settings = try await Config.load(in: context)
    let shown = try Shown(settings, home: context.workingDirectory().home)
    return Report(
      shape.document(of: shown),
      .table { shown.table(isPipe: false) },
      pipe: .table { shown.table(isPipe: true) },
      status: StyledText("settings from \(shown.path)", .dim)
    )
  }

  fileprivate struct Shown {
    let path: String
    /// The settings for all workspaces in their order, then colours, and the entries for folders and
    /// workspaces.
    let rows: [ShownSetting]
    let directories: [ConfigFile.Settings.DirectoryEntry]
    /// The appearances that replace those of the theme.
    let colors: [(style: Style, value: String)]
    /// The names of the workspaces that have settings of their own.
    let workspaces: [String]

    init(_ settings: ConfigFile.Settings, home: @autoclosure () -> String) throws {
      path = settings.path
      func row(_ key: ConfigKey, _ value: String?) -> ShownSetting {
        ShownSetting(key: key, value: value, path: settings.path)
      }
      let general = try ConfigKey.all.map { row($0, try settings.text(of: $0)) }
      directories = try settings.directories(home: home())
      workspaces = try settings.workspacesWithSettings()
      let own = try workspaces.flatMap { name in
        try ConfigKey.ofWorkspaces.map { $0.inWorkspace(name) }
          .compactMap { key in try settings.text(of: key).map { row(key, $0) } }
      }
      colors = try Style.allCases.compactMap { style in
        try settings.text(of: .color(of: style)).map { (style, $0) }
      }
      rows =
        general + colors.map { row(.color(of: $0.style), $0.value) }
        + directories.map { row($0.key, $0.workspace) } + own
    }

    func value(of key: ConfigKey) -> String? { rows.first { $0.key == key }?.value }

    /// One row per setting; a pipe also has the path of the file.
    func table(isPipe: Bool) -> Table {
      Table(rows, headers: ["SETTING", "VALUE", "MEANING"]) { row in
        let value = isPipe ? StyledText(row.value ?? "") : row.valueText
        return [StyledText(row.key.name, .name), value, StyledText(row.key.summary, .dim)]
          + (isPipe ? [StyledText(row.value == nil ? "" : path)] : [])
      }
    }
  }

  // MARK: - JSON

  private static let shape = JSONShape<Shown>(
    ConfigKey.all.map { key in
      .text(key.name, "The setting's value, or null") { $0.value(of: key) }
    } + [
      .list("colors", "Appearances that replace those of the theme", colorShape) { $0.colors },
      .list("directories", "The default workspaces of folders", directoryShape) { $0.directories },
      .list("workspaces", "Settings of single workspaces", workspaceShape) { shown in
        shown.workspaces.map { ($0, shown) }
      },
      .object("defaults", "The values of settings that are not set", defaultShape) { _ in () },
      .text("path", "The path of the settings file") { $0.path },
    ]
  )

  private static let defaultShape = JSONShape<Void>(
    ConfigKey.all.compactMap { key in
      key.defaultText.map { text in .text(key.name, "Its default") { text } }
    }
  )

  private static let colorShape: JSONShape<(style: Style, value: String)> = [
    .text("role", "The role of the text") { $0.style.rawValue },
    .text("appearance", "Its colours and attributes") { $0.value },
  ]

  private static let directoryShape: JSONShape<ConfigFile.Settings.DirectoryEntry> = [
    .text("directory", "The folder as written in the file") { $0.key.path[1] },
    .text("workspace", "The workspace of the folder and its subfolders") { $0.workspace },
  ]

  private static let workspaceShape = JSONShape<(name: String, shown: Shown)>(
    [.text("workspace", "The workspace as written in the file") { $0.name }]
      + ConfigKey.ofWorkspaces.map { key in
        .text(key.name, "The workspace's own value, or null") {
          $0.shown.value(of: key.inWorkspace($0.name))
        }
      }
  )
}

/// A setting as 'oppi config show' lists it.
package struct ShownSetting: Sendable {
  package let key: ConfigKey
  /// `nil` if it is not set.
  package let value: String?
  let path: String

  /// Returns all settings, as 'oppi config show' lists them.
  ///
  /// - Throws: `FileError` if the file cannot be read, or a value has the wrong type.
  package static func all(in context: Context) throws -> [ShownSetting] {
    let settings = try context.config.load()
    return try ConfigShow.Shown(settings, home: context.workingDirectory().home).rows
  }

  /// The value, or the default.
  package var valueText: StyledText {
    value.map { StyledText($0) }
      ?? key.defaultText.map { StyledText("\($0) (default)", .dim) } ?? StyledText("")
  }

  /// What is known of it.
  package var page: [StyledText] {
    let value = valueText.isEmpty ? [] : [valueText]
    let words = key.commandWords.map { "change with: oppi config set \($0) VALUE" }
    let place = self.value == nil ? "not set" : "set in \(path)"
    return [StyledText(key.name, .heading), StyledText(key.summary)] + value
      + [StyledText(place, .dim)] + (words.map { [StyledText($0, .dim)] } ?? [])
  }
}

extension Context {
  /// The same context with the accessible mode, the theme and the mouse of the settings, as far as
  /// nothing else decides.
  ///
  /// - Throws: `OppiError` if a setting is invalid that has an effect.
  package func applying(_ settings: ConfigFile.Settings) throws(OppiError) -> Context {
    let isEnabled = try settings.valueInEffect(of: .accessible) == BooleanSetting.true
    var policy = output.policy.applying(isAccessible: isEnabled)
    if policy.hasOpenTheme {
      policy = policy.applying(
        try settings.valueInEffect(of: .theme),
        replacing: try settings.colors()
      )
    }
    if policy.destination.isConversation {
      policy.capturesMouse = try settings.valueInEffect(of: .mouse) == MouseChoice.on
    }
    return with(output.with(policy))
  }

  /// The same context, as ``applying(_:)``; reads the settings only if a terminal could be drawn on.
  package func applyingSettings() async throws -> Context {
    guard output.policy.form == .terminal else { return self }
    return try applying(await Config.load(in: self))
  }

  /// Prints a report, on a terminal in the accessible mode of the settings.
  ///
  /// A setting that cannot be read does not fail a command that has done its work.
  package func print(_ report: Report) async throws {
    var policy = output.policy
    if policy.form == .terminal, policy.isModeOpen,
      (try? services.config.load().valueInEffect(of: .accessible)) == BooleanSetting.true
    {
      policy = policy.applying(isAccessible: true)
    }
    try await output.with(policy).print(report)
  }

  /// Prints what has enabled the accessible mode, and how to leave it, if it is on and a terminal
  /// shows text.
  package func announceMode() async {
    guard output.policy.form == .terminal, let mode = output.policy.lineMode else { return }
    await output.status(mode.announcement)
  }
}
