// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// The name of a workspace, and where it was given.
struct WorkspaceChoice: Sendable {
  let name: String
  let source: ValueSource
}

/// The workspace that is meant where `--workspace` names none.
extension Context {
  /// What `ask` takes, which fires unseen: the variable's, else that of the nearest folder in the
  /// settings, else that of the settings; `nil` for the only one there is.
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

  /// What `new` and `chat` take, whose user sees where that is before typing: that of the nearest
  /// folder in the settings; `nil` for the one used last.
  func workspaceHere(_ settings: ConfigFile.Settings) throws(FileError) -> WorkspaceChoice? {
    try settings.directory(above: intents.workingDirectory()).map {
      WorkspaceChoice(name: $0.workspace, source: .setting($0.key, path: settings.path))
    }
  }

  /// Finds the workspace in which a session to type in is opened: that of `--workspace`, else the
  /// one of ``workspaceHere(_:)``, else the one that is most likely meant.
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
