// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi config here`: the workspace of the folder that the user is in.
enum ConfigHere {
  struct Options: Sendable, Equatable {
    var workspace: String?
    var unsets = false
  }

  static let command: Command = Command(
    "here",
    "Show or set the workspace of this folder",
    discussion: """
      Sets the workspace for the folder that you are in and for those below it, as an entry of \
      'directories' in your own settings: no file in the folder is written or read. Without -w \
      'oppi ask' takes $OPPI_WORKSPACE, else the entry of the nearest folder, else the setting \
      'workspace', else the only workspace there is; 'oppi new' and 'oppi chat' take the entry of \
      the nearest folder, else the workspace used last.

      Without WORKSPACE it tells what 'oppi ask' takes here, and where that was set: in a pipe with \
      a tab between them. Where nothing was, the status is 66. --unset takes out the entry of this \
      very folder.

      By hand, folders stand in the file as absolute paths or from ~/ on: {"directories": \
      {"~/src/api": "studio/api"}}. A folder that you came to through a link goes by its name, too.
      """,
    examples: [
      CommandExample("cd ~/src/api && oppi config here studio/api", "Ask there from now on"),
      CommandExample("oppi config here", "What counts, and where it is from"),
    ],
    exitStatuses: [0, 64, 66, 73, 74, 78],
    members: Standing.shape.rows,
    options: Options(),
    arguments: [
      .flag("unset", \.unsets, "Take the entry of this folder out"),
      .positional(
        "workspace",
        completion: .dynamic("workspace"),
        \.workspace,
        "The workspace to ask in"
      ),
    ],
    validate: { (options) throws(UsageError) in
      if options.unsets, options.workspace != nil {
        throw UsageError(.contradiction("give a workspace or --unset"))
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

  /// The entry of the working directory: the one that is there, else one by the path that its user
  /// knows.
  private static func key(
    in settings: ConfigFile.Settings,
    _ context: Context
  ) throws -> ConfigKey {
    let place = context.workingDirectory()
    guard let path = place.paths.first else {
      throw OppiError(.noInput, "the folder that you are in is gone", hints: ["change to another"])
    }
    let entry = try settings.directories(home: place.home).first { place.paths.contains($0.folder) }
    return entry?.key ?? .directory(path.text(home: place.home))
  }

  private static func show(
    _ settings: ConfigFile.Settings,
    in context: Context
  ) throws -> Report {
    guard let choice = try context.workspaceToAsk(settings) else {
      throw OppiError(
        .notSet,
        "no workspace is set for this folder",
        hints: ["set one with: oppi config here WORKSPACE"]
      )
    }
    var table = Table()
    table.add([StyledText(choice.name, .name), StyledText(choice.source.words, .dim)])
    let standing = Standing(choice: choice, path: settings.path)
    return Report(Standing.shape.document(of: standing), .table(table))
  }

  /// What was done, and what counts where that is something else.
  private static func changed(
    _ verb: String,
    _ key: ConfigKey,
    in context: Context
  ) throws -> Report {
    let settings = try context.config.load()
    let choice = try context.workspaceToAsk(settings)
    let others = choice.flatMap { choice -> [Report.Note]? in
      if case .setting(key, _) = choice.source { return nil }
      let name = choice.name.safeLine(limit: 120)
      return [.hint("'oppi ask' takes \(name) here, from \(choice.source.words)")]
    }
    let standing = Standing(choice: choice, path: settings.path)
    return Report(
      Standing.shape.document(of: standing),
      status: StyledText("\(verb) \(key.name) in \(settings.path)"),
      notes: others ?? []
    )
  }

  /// What counts in the folder.
  private struct Standing {
    let choice: WorkspaceChoice?
    let path: String

    static let shape: JSONShape<Standing> = [
      .member("workspace", "What 'oppi ask' takes in this folder, or null") {
        $0.choice.map { .string($0.name) } ?? .null
      },
      .member("source", "Where that was set, or null") {
        $0.choice.map { .string($0.source.words) } ?? .null
      },
      .member("path", "The file of the settings") { .string($0.path) },
    ]
  }
}
