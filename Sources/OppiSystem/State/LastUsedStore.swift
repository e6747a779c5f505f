// SPDX-License-Identifier: MIT

package import OppiModel

/// The workspace and session that this user spoke to last, in `last-used.json`.
package struct LastUsedStore: Sendable {
  /// What is remembered.
  package struct LastUsed: Sendable, Equatable {
    package var workspace: WorkspaceReference
    package var sessionID: String?

    package init(workspace: WorkspaceReference, sessionID: String?) {
      self.workspace = workspace
      self.sessionID = sessionID
    }
  }

  private let file: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.lastUsedFile, in: files, limit: 4096, .passing)
  }

  /// Returns what was used last; `nil` where nothing was or the file is of no use.
  package func load() -> LastUsed? {
    guard let json = try? file.load(),
      let workspace = json["workspace"].string.flatMap({ WorkspaceReference($0) })
    else { return nil }
    let sessionID = json["sessionId"].string.flatMap { WireID.isValid($0) ? $0 : nil }
    return LastUsed(workspace: workspace, sessionID: sessionID)
  }

  /// Remembers a use.
  package func store(_ lastUsed: LastUsed) throws(FileError) {
    try file.save(
      .object([
        "workspace": .string(lastUsed.workspace.description),
        "sessionId": lastUsed.sessionID.map(JSONValue.string),
      ])
    )
  }
}
