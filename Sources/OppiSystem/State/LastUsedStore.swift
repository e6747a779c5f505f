// SPDX-License-Identifier: MIT

package import OppiModel

/// The last used workspace and session, stored in the history.
package struct LastUsedStore: Sendable {
  package struct LastUsed: Sendable, Equatable {
    package var workspace: WorkspaceReference
    package var sessionID: String?

    package init(workspace: WorkspaceReference, sessionID: String?) {
      self.workspace = workspace
      self.sessionID = sessionID
    }
  }

  private let log: HistoryLog

  package init(
    paths: XDGPaths,
    files: FileStore,
    warn: @escaping @Sendable (String) async -> Void = { _ in }
  ) {
    log = HistoryLog(paths: paths, files: files, warn: warn)
  }

  /// Returns the last used session; `nil` if there is none.
  ///
  /// - Throws: `FileError` if the history cannot be read.
  package func load() throws(FileError) -> LastUsed? {
    guard let line = try log.lastUse() else { return nil }
    let json = JSONValue.object(line)
    guard let workspace = json["workspace"].string.flatMap({ WorkspaceReference($0) }) else {
      return nil
    }
    return LastUsed(workspace: workspace, sessionID: json["sessionId"].wireID)
  }

  package func store(_ lastUsed: LastUsed) async throws(FileError) {
    try await AskHistoryFile(log).use(lastUsed)
  }
}
