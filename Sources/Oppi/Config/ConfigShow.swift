// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ConfigShow {
  struct Options: Sendable, Equatable {}

  static let command: Command = Command(
    "show",
    "Show all settings",
    discussion: """
      Entries for folders and workspaces come after the settings for all workspaces. In a pipe \
      each line has, separated by tabs: name, value (empty if not set), meaning, and path of the \
      file.
      """,
    members: shape.rows,
    options: Options(),
    arguments: [],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let settings = try await Config.load(in: context)
    let shown = try Shown(settings, home: context.workingDirectory().home)
    return Report(
      shape.document(of: shown),
      .table { shown.table { _ in [] } },
      pipe: .table { shown.table { [StyledText($0 == nil ? "" : shown.path)] } },
      status: StyledText("settings from \(shown.path)", .dim)
    )
  }

  private struct Shown {
    let path: String
    /// The settings for all workspaces, in their order.
    let general: [(key: ConfigKey, value: String?)]
    let directories: [ConfigFile.Settings.DirectoryEntry]
    let workspaces: [OwnSettings]

    init(_ settings: ConfigFile.Settings, home: @autoclosure () -> String) throws {
      path = settings.path
      general = try ConfigKey.all.map { ($0, try settings.text(of: $0)) }
      directories = try settings.directories(home: home())
      workspaces = try settings.workspacesWithSettings().map { try OwnSettings($0, in: settings) }
    }

    /// One row per setting; `more` adds columns after the summary.
    func table(_ more: (String?) -> [StyledText]) -> Table {
      let entries = directories.map { (key: $0.key, value: String?.some($0.workspace)) }
      return Table(
        general + entries + workspaces.flatMap(\.entries),
        headers: ["SETTING", "VALUE", "MEANING"]
      ) { key, value in
        [
          StyledText(key.name, .name), StyledText(value ?? ""), StyledText(key.summary, .dim),
        ] + more(value)
      }
    }
  }

  private struct OwnSettings {
    let name: String
    let entries: [(key: ConfigKey, value: String?)]

    init(_ name: String, in settings: ConfigFile.Settings) throws {
      self.name = name
      entries = try ConfigKey.ofWorkspaces.compactMap { key in
        let own = key.inWorkspace(name)
        return try settings.text(of: own).map { (own, $0) }
      }
    }

    func value(of key: ConfigKey) -> String? { entries.first { $0.key.general == key }?.value }
  }

  // MARK: - JSON

  private static let shape = JSONShape<Shown>(
    ConfigKey.all.enumerated().map { index, key in
      .text(key.name, "The setting's value, or null") { $0.general[index].value }
    } + [
      .list("directories", "The default workspaces of folders", directoryShape) { $0.directories },
      .list("workspaces", "Settings of single workspaces", workspaceShape) { $0.workspaces },
      .text("path", "The path of the settings file") { $0.path },
    ]
  )

  private static let directoryShape: JSONShape<ConfigFile.Settings.DirectoryEntry> = [
    .text("directory", "The folder as written in the file") { $0.key.path[1] },
    .text("workspace", "The workspace of the folder and its subfolders") { $0.workspace },
  ]

  private static let workspaceShape = JSONShape<OwnSettings>(
    [.text("workspace", "The workspace as written in the file") { $0.name }]
      + ConfigKey.ofWorkspaces.map { key in
        .text(key.name, "The workspace's own value, or null") { $0.value(of: key) }
      }
  )
}
