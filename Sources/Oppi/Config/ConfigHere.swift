// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi config here`: the workspace of the current folder.
enum ConfigHere {
  struct Options: Sendable, Equatable {
    var workspace: String?
    var unsets = false
  }

  static let command: Command = Command(
    "here",
    "Show or set the workspace of this folder",
    discussion: """
      Sets the default workspace of the current folder and its subfolders, as an entry of \
      'directories' in your own settings: no file in the folder is read or written. The entry of \
      the nearest folder applies ('oppi help workspaces' has all defaults).

      Without WORKSPACE the command prints the default workspace here and its source, in a pipe \
      separated by a tab. If none is set, the status is 66. --unset removes the entry of this \
      folder.

      In the file a folder is an absolute path, or starts with ~/: {"directories": {"~/src/api": \
      "studio/api"}}. A folder that you reached through a symbolic link also matches by that \
      path.
      """,
    examples: [
      CommandExample(
        "cd ~/src/api && oppi config here studio/api",
        "Set the default workspace of a folder"
      ),
      CommandExample("oppi config here", "Show the workspace in effect and its source"),
    ],
    exitStatuses: [0, 64, 66, 73, 74, 78],
    members: Standing.shape.rows,
    options: Options(),
    arguments: [
      .flag("unset", \.unsets, "Remove the entry of this folder"),
      .positional(
        "workspace",
        completion: .dynamic("workspace"),
        \.workspace,
        "The workspace for this folder"
      ),
    ],
    validate: { (options) throws(UsageError) in
      if options.unsets, options.workspace != nil {
        throw UsageError(.contradiction("give either a workspace or --unset"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let settings = try await Config.load(in: context)
    if options.unsets || options.workspace?.isEmpty == true {
      let key = try key(in: settings, context)
      try await context.config.unset(key)
      return try changed("unset", key, in: context)
    }
    guard let workspace = options.workspace else { return try show(settings, in: context) }
    _ = try await Config.workspace(named: workspace, in: context)
    let key = try key(in: settings, context)
    try await context.config.set(key, to: workspace)
    return try changed("set", key, in: context)
  }

  /// The existing entry of the working directory, else a new one with the path that the user knows.
  private static func key(
    in settings: ConfigFile.Settings,
    _ context: Context
  ) throws -> ConfigKey {
    let place = context.workingDirectory()
    guard let path = place.paths.first else {
      throw OppiError.noCurrentFolder
    }
    let entry = try settings.directories(home: place.home).first { place.paths.contains($0.folder) }
    return entry?.key ?? .directory(path.text(home: place.home))
  }

  private static func show(
    _ settings: ConfigFile.Settings,
    in context: Context
  ) throws -> Report {
    guard let choice = try context.defaultWorkspace(settings) else {
      throw OppiError.noWorkspaceHere
    }
    let table = Table([[StyledText(choice.name, .name), StyledText(choice.source.words, .dim)]])
    let standing = Standing(choice: choice, path: settings.path)
    return Report(Standing.shape.document(of: standing), .table(table))
  }

  /// Reports the change, and the workspace in effect if it comes from elsewhere.
  private static func changed(
    _ verb: String,
    _ key: ConfigKey,
    in context: Context
  ) throws -> Report {
    let settings = try context.config.load()
    let choice = try context.defaultWorkspace(settings)
    let others = choice.flatMap { choice -> [Report.Note]? in
      if case .setting(key, _) = choice.source { return nil }
      let name = choice.name.safeLine(limit: 120)
      return [.hint("the default here is \(name), from \(choice.source.words)")]
    }
    let standing = Standing(choice: choice, path: settings.path)
    return Report(
      Standing.shape.document(of: standing),
      status: StyledText("\(verb) \(key.name) in \(settings.path)"),
      notes: others ?? []
    )
  }

  /// The workspace in effect in the folder.
  private struct Standing {
    let choice: WorkspaceChoice?
    let path: String

    static let shape: JSONShape<Standing> = [
      .text("workspace", "The default workspace in this folder, or null") {
        $0.choice?.name
      },
      .text("source", "Where it is set, or null") { $0.choice?.source.words },
      .text("path", "The path of the settings file") { $0.path },
    ]
  }
}
