// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The last used workspace and session, stored in the history.
struct LastUsedStore: Sendable {
  struct LastUsed: Sendable, Equatable {
    var workspace: WorkspaceReference
    var sessionID: String?
  }

  private let log: HistoryLog

  init(
    paths: XDGPaths,
    files: FileStore,
    warn: @escaping @Sendable (String) async -> Void = { _ in }
  ) {
    log = HistoryLog(paths: paths, files: files, warn: warn)
  }

  /// Returns the last used session; `nil` if there is none.
  ///
  /// - Throws: `FileError` if the history cannot be read.
  func load() throws(FileError) -> LastUsed? {
    guard let line = try log.lastUse() else { return nil }
    let json = JSONValue.object(line)
    guard let workspace = json["workspace"].string.flatMap({ WorkspaceReference($0) }) else {
      return nil
    }
    return LastUsed(workspace: workspace, sessionID: json["sessionId"].wireID)
  }

  func store(_ lastUsed: LastUsed) async throws(FileError) {
    try await AskHistoryFile(log).use(lastUsed)
  }
}
