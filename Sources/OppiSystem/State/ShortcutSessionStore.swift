// SPDX-License-Identifier: MIT

package import OppiModel

/// The sessions in which the conversations of shortcuts go on, in `shortcut-sessions.json`.
package struct ShortcutSessionStore: Sendable {
  private let file: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.shortcutSessionsFile, in: files)
  }

  /// The session of a shortcut's last run; `nil` where none is known, or that was in another
  /// workspace.
  ///
  /// - Throws: Where the file cannot be read: in a new session the conversation would be lost.
  package func session(
    of shortcut: String,
    in workspace: WorkspaceReference
  ) throws(FileError) -> String? {
    guard let json = try file.load()?[shortcut],
      json["workspace"].string == workspace.description,
      let sessionID = json["sessionId"].string, WireID.isValid(sessionID)
    else { return nil }
    return sessionID
  }

  /// Remembers the session of a shortcut.
  package func remember(
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

  /// Forgets the session of a shortcut.
  package func forget(_ shortcut: String) async throws(FileError) {
    try await file.update { members throws(FileError) in members[shortcut] = nil }
  }
}
