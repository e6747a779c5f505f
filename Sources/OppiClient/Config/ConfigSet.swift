// SPDX-License-Identifier: MIT

import CommandTable
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

package enum ConfigSet {
  struct Options: Sendable, Equatable {
    var workspace: String?
    @Required var name: String
    @Required var value: String
  }

  static let command: Command = Command(
    "set",
    "Change a setting",
    discussion: """
      Comments and other settings in the file are kept. An empty value removes the setting. \
      'oppi help settings' lists the allowed values.

      With -w it sets the workspace's own model, thinking, timeout, on-ask, notify.deny-after, \
      budget.day or budget.month, which overrides the setting for all workspaces.
      """,
    examples: [
      ("oppi config set workspace studio/api", "Set the default workspace"),
      ("oppi config set -w studio/api thinking high", "Set the thinking level of one workspace"),
    ],
    exitStatuses: [0, 64, 66, 73, 74, 78],
    members: Config.shape.rows,
    options: Options(),
    arguments: [
      .ownSetting(\.workspace),
      .setting(\.$name),
      .positional("value", completion: .names(of: .value), \.$value, "Its new value"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let key = try await Config.key(
      named: options.name,
      ofWorkspace: options.workspace,
      in: context
    )
    return try await set(key, to: options.value, in: context)
  }

  /// Changes a setting; an empty value removes it.
  ///
  /// - Throws: `OppiError` for an invalid value; `FileError` if the file cannot be changed.
  package static func set(
    _ key: ConfigKey,
    to value: String,
    in context: Context
  ) async throws -> Report {
    if value.isEmpty { return try await ConfigUnset.unset(key, in: context) }
    try check(value, for: key)
    if key == .workspace {
      _ = try await Config.workspace(named: value, in: context)
    }
    try await context.config.set(key, to: value)
    if key.general == .model { try await checkModel(value, of: key, in: context) }
    if key.valueType == ProgramLine.self { try await checkProgram(value, in: context) }
    return Config.report(key, value, did: "set", in: context)
  }

  /// - Throws: `OppiError` if the setting does not accept the value.
  package static func check(_ value: String, for key: ConfigKey) throws(OppiError) {
    do throws(ArgumentValueError) {
      _ = try key.valueType.init(argument: value)
    } catch {
      throw OppiError(.usage, "'\(key.name)' \(error.message), not '\(value.safeLine())'")
    }
  }

  /// Warns of a program that is not found; it is still set, because it may be installed later.
  private static func checkProgram(_ line: String, in context: Context) async throws {
    guard let name = try ProgramLine(argument: line).words.first, !context.programs.has(name) else {
      return
    }
    await context.output.warn("program '\(name.safeLine(limit: 80))' not found")
  }

  /// Warns of a model that no server offers; it is still set, because it may become available.
  private static func checkModel(
    _ model: String,
    of key: ConfigKey,
    in context: Context
  ) async throws {
    var servers: [PairedServer]
    do {
      servers = try context.serverStore.load().servers
    } catch {
      return await context.services.warn(ofUncheckedModel: error)
    }
    if let word = key.workspaceName {
      let matches = WorkspaceMatcher.matches(word, in: await context.knownWorkspaces())
      if !matches.isEmpty { servers = matches.map(\.server) }
    }
    let error = try await context.services.obstacle(toModel: model, on: servers)
    if let error, error.reason == .unknownModel {
      await context.output.warn(error.message)
    } else if let error {
      await context.services.warn(ofUncheckedModel: error)
    }
  }
}

enum ConfigUnset {
  static let command: Command = Command(
    "unset",
    "Remove a setting",
    discussion: "Comments and other settings in the file are kept.",
    exitStatuses: [0, 64, 66, 73, 74, 78],
    members: Config.shape.rows,
    options: Config.OneSetting(),
    arguments: Config.OneSetting.arguments,
    run: run
  )

  static func run(_ options: Config.OneSetting, in context: Context) async throws -> Report {
    try await unset(options.key(in: context), in: context)
  }

  static func unset(_ key: ConfigKey, in context: Context) async throws -> Report {
    try await context.config.unset(key)
    return Config.report(key, nil, did: "unset", in: context)
  }
}

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
      ("cd ~/src/api && oppi config here studio/api", "Set the default workspace of a folder"),
      ("oppi config here", "Show the workspace in effect and its source"),
    ],
    exitStatuses: [0, 64, 66, 73, 74, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .flag("unset", \.unsets, "Remove the entry of this folder"),
      .positional(
        "workspace",
        completion: .names(of: .workspace),
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
      throw OppiError(
        .noInput,
        "the current folder no longer exists",
        hints: ["change to another folder"]
      )
    }
    let entry = try settings.directories(home: place.home).first { place.paths.contains($0.folder) }
    return entry?.key ?? .directory(path.text(home: place.home))
  }

  private static func show(
    _ settings: ConfigFile.Settings,
    in context: Context
  ) throws -> Report {
    guard let choice = try context.defaultWorkspace(settings) else {
      throw OppiError(
        .notSet,
        "no workspace is set for this folder",
        hints: ["set one with: oppi config here WORKSPACE"]
      )
    }
    let table = Table([[StyledText(choice.name, .name), StyledText(choice.source.words, .dim)]])
    return Report(shape.document(of: (choice, settings.path)), .table(table))
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
    return Report(
      shape.document(of: (choice, settings.path)),
      status: StyledText("\(verb) \(key.name) in \(settings.path)"),
      notes: others ?? []
    )
  }

  /// The workspace in effect in the folder, and the settings file.
  private static let shape: JSONShape<(choice: WorkspaceChoice?, path: String)> = [
    .text("workspace", "The default workspace in this folder, or null") { $0.choice?.name },
    .text("source", "Where it is set, or null") { $0.choice?.source.words },
    .text("path", "The path of the settings file") { $0.path },
  ]
}
