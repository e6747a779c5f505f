// SPDX-License-Identifier: MIT

package import OppiModel

/// The workspace and session that this user spoke to last, in the history.
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

  private let log: HistoryLog

  package init(
    paths: XDGPaths,
    files: FileStore,
    warn: @escaping @Sendable (String) async -> Void = { _ in }
  ) {
    log = HistoryLog(paths: paths, files: files, warn: warn)
  }

  /// Returns what was used last; `nil` where nothing was.
  ///
  /// - Throws: `FileError` where that cannot be read.
  package func load() throws(FileError) -> LastUsed? {
    guard let line = try log.lastUse() else { return nil }
    let json = JSONValue.object(line)
    guard let workspace = json["workspace"].string.flatMap({ WorkspaceReference($0) }) else {
      return nil
    }
    return LastUsed(workspace: workspace, sessionID: json["sessionId"].wireID)
  }

  /// Remembers a use.
  package func store(_ lastUsed: LastUsed) async throws(FileError) {
    try await AskHistoryFile(log).use(lastUsed)
  }
}
