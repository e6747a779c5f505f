// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

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
      throw OppiError.notOfWorkspaces(key, own: names)
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
