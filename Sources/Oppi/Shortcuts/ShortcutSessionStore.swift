// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The sessions that shortcuts continue, in `shortcut-sessions.json`.
struct ShortcutSessionStore: Sendable {
  private let file: JSONFile

  init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.shortcutSessionsFile, in: files)
  }

  /// Returns the session of a shortcut's last run; `nil` if it is unknown or was in another
  /// workspace.
  ///
  /// - Throws: If the file cannot be read, because a new session would lose the conversation.
  func session(
    of shortcut: String,
    in workspace: WorkspaceReference
  ) throws(FileError) -> String? {
    guard let json = try file.load()?[shortcut],
      json["workspace"].string == workspace.description,
      let sessionID = json["sessionId"].string, WireID.isValid(sessionID)
    else { return nil }
    return sessionID
  }

  func remember(
    _ sessionID: String,
    in workspace: WorkspaceReference,
    of shortcut: String
  ) async throws(FileError) {
    try await file.update { members throws(FileError) in
      members[shortcut] = [
        "workspace": .string(workspace.description), "sessionId": .string(sessionID),
      ]
    }
  }

  func forget(_ shortcut: String) async throws(FileError) {
    try await file.update { members throws(FileError) in members[shortcut] = nil }
  }
}
