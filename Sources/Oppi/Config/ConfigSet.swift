// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ConfigSet {
  struct Options: Sendable, Equatable {
    var workspace: String?
    var name = ""
    var value = ""
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
      CommandExample("oppi config set workspace studio/api", "Set the default workspace"),
      CommandExample(
        "oppi config set -w studio/api thinking high",
        "Set the thinking level of one workspace"
      ),
    ],
    exitStatuses: [0, 64, 66, 73, 74, 78],
    members: SettingRow.shape.rows,
    options: Options(),
    arguments: [
      .ownSetting(\.workspace),
      .setting(\.name),
      .positional(
        "value",
        required: true,
        completion: .dynamic("value"),
        \.value,
        "Its new value"
      ),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let key = try await Config.key(
      named: options.name,
      ofWorkspace: options.workspace,
      in: context
    )
    if options.value.isEmpty { return try await ConfigUnset.unset(key, in: context) }
    do throws(ArgumentValueError) {
      _ = try key.valueType.init(argument: options.value)
    } catch {
      throw OppiError.invalidValue(options.value, of: key, because: error.message)
    }
    if key == .workspace {
      _ = try await Config.workspace(named: options.value, in: context)
    }
    try await context.config.set(key, to: options.value)
    if try ConfigKey.named(options.name) == .model { try await checkModel(options, in: context) }
    return Report(
      SettingRow(key: key, value: options.value, path: context.config.path).document,
      status: StyledText("set \(key.name) in \(context.config.path)")
    )
  }

  /// Warns of a model that no server offers; it is still set, because it may become available.
  private static func checkModel(_ options: Options, in context: Context) async throws {
    var servers: [PairedServer]
    do {
      servers = try context.serverStore.load().servers
    } catch {
      return await context.intents.warn(ofUncheckedModel: error)
    }
    if let word = options.workspace {
      let matches = WorkspaceMatcher.matches(word, in: await context.knownWorkspaces())
      if !matches.isEmpty { servers = matches.map(\.server) }
    }
    switch try await context.intents.standing(ofModel: options.value, on: servers) {
    case .offered: return
    case .unknown(let error): await context.console.warn(OppiError(error).message)
    case .unchecked(let error): await context.intents.warn(ofUncheckedModel: error)
    }
  }
}
