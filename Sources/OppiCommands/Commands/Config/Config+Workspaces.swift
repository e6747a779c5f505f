// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
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
    guard let workspace = try await workspace(named: word, in: context) else {
      return key.inWorkspace(word)
    }
    let entries = WorkspaceEntries(names: names, known: await context.knownWorkspaces())
    let isWholeName = entries.workspaces(named: word).count == 1
    let entry = entries.names(of: workspace).first { entries.workspaces(named: $0).count == 1 }
    return key.inWorkspace(entry ?? (isWholeName ? word : workspace.qualifiedName))
  }

  /// The known workspace of a name in the settings; `nil` with a warning if it is unknown, because
  /// it may be created later.
  ///
  /// - Throws: If the name is ambiguous.
  static func workspace(
    named word: String,
    in context: Context
  ) async throws -> ServerWorkspace? {
    let known = await context.knownWorkspaces()
    if let reference = WorkspaceReference(word) { return known.first { $0.reference == reference } }
    let matches = WorkspaceMatcher.matches(word, in: known)
    guard matches.count < 2 else {
      throw IntentError.ambiguousWorkspace(name: word, candidates: matches.names(atMost: 20))
    }
    if matches.isEmpty, !known.isEmpty {
      await context.console.warn(
        "workspace '\(word.safeLine(limit: 120))' is not in the cached list; update it with: oppi workspaces"
      )
    }
    return matches.first
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
