// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// The name of a workspace, and where it was specified.
struct WorkspaceChoice: Sendable {
  let name: String
  let source: ValueSource
}

/// The default workspace without `--workspace`.
extension Context {
  /// The default of `ask`: the environment variable, else the nearest folder's entry, else the
  /// setting; `nil` for the only workspace.
  func workspaceToAsk(_ settings: ConfigFile.Settings) throws(FileError) -> WorkspaceChoice? {
    let variable = "OPPI_WORKSPACE"
    if let name = nonEmpty(variable) {
      return WorkspaceChoice(name: name, source: .variable(variable))
    }
    if let entry = try workspaceHere(settings) { return entry }
    return try settings.text(of: .workspace).map {
      WorkspaceChoice(name: $0, source: .setting(.workspace, path: settings.path))
    }
  }

  /// The default of `new` and `chat`, which show the workspace before a prompt is sent: the nearest
  /// folder's entry; `nil` for the last workspace.
  func workspaceHere(_ settings: ConfigFile.Settings) throws(FileError) -> WorkspaceChoice? {
    try settings.directory(above: intents.workingDirectory()).map {
      WorkspaceChoice(name: $0.workspace, source: .setting($0.key, path: settings.path))
    }
  }

  /// The workspace for a new interactive session: that of `--workspace`, else
  /// ``workspaceHere(_:)``, else the last or the first one.
  func workspaceToOpen(
    option word: String?,
    _ settings: ConfigFile.Settings
  ) async throws -> WorkspaceReference {
    let choice =
      try word.map { WorkspaceChoice(name: $0, source: .option("--workspace")) }
      ?? workspaceHere(settings)
    let servers = try servers()
    do {
      return try await openNewSession().workspace(named: choice?.name, on: servers)
    } catch {
      throw choice.map { OppiError(error).tracing($0.source) } ?? OppiError(error)
    }
  }
}
