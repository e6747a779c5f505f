// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The name of a workspace, and where it was specified.
struct WorkspaceChoice: Sendable {
  let name: String
  let source: ValueSource
}

extension Context {
  /// The default workspace of every command without `--workspace`: the environment variable, else
  /// the nearest folder's entry, else the setting; `nil` if none is set.
  func defaultWorkspace(_ settings: ConfigFile.Settings) throws(FileError) -> WorkspaceChoice? {
    let variable = "OPPI_WORKSPACE"
    if let name = nonEmpty(variable) {
      return WorkspaceChoice(name: name, source: .variable(variable))
    }
    if let entry = try settings.directory(above: intents.workingDirectory()) {
      return WorkspaceChoice(
        name: entry.workspace,
        source: .setting(entry.key, path: settings.path)
      )
    }
    return try settings.text(of: .workspace).map {
      WorkspaceChoice(name: $0, source: .setting(.workspace, path: settings.path))
    }
  }

  /// The workspace for a new interactive session: that of `--workspace`, else
  /// ``defaultWorkspace(_:)``, else the last or the first one.
  func workspaceToOpen(
    option word: String?,
    _ settings: ConfigFile.Settings
  ) async throws -> WorkspaceReference {
    let choice =
      try word.map { WorkspaceChoice(name: $0, source: .option("--workspace")) }
      ?? defaultWorkspace(settings)
    let servers = try servers()
    do {
      return try await openNewSession().workspace(named: choice?.name, on: servers)
    } catch {
      throw choice.map { OppiError(error).tracing($0.source) } ?? OppiError(error)
    }
  }
}
