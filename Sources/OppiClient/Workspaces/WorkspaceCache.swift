// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiText
package import OppiWire

/// The last known workspaces of each server, in `workspaces.json`.
///
/// The cache can always be fetched again, so its errors are only noted.
package struct WorkspaceCache: Sendable {
  package struct Entry: Sendable, Equatable {
    var fetchedAt: Timestamp
    package var workspaces: [Workspace]
  }

  private static let sizeLimit = OwnFile.workspacesLimit

  /// More completions do not help the user to choose.
  private static let completionLimit = 1000

  /// Writing more workspaces takes milliseconds.
  private static let fewWorkspaces = 1000

  private let file: RecordFile<JSONObject>
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    self.files = files
    file = RecordFile(
      paths.workspacesFile,
      in: files,
      limit: Self.sizeLimit,
      .passing,
      isReplaceable: true,
      layout: WorkspaceLines.bytes
    )
  }

  /// Returns all readable lists; a damaged file counts as empty until it is written.
  package func load() async -> [Fingerprint: Entry] {
    let contents = await files.attemptWaiting { () async throws(FileError) in
      try await file.load { Contents(entries: Self.entries(in: $0)) }
    }
    return contents??.entries ?? [:]
  }

  /// Like ``load()``, but synchronous.
  package func loadAtOnce() -> [Fingerprint: Entry] {
    Self.entries(in: file.usable() ?? [:])
  }

  /// Like ``load()``, limited to workspaces that a word may name, alone or after a server's name.
  func load(naming word: String) async -> [Fingerprint: Entry] {
    guard let text = WorkspaceLines.text(of: word), let bytes = bytes() else { return await load() }
    let found = try? await files.loop.offload(ifLong: bytes.isLongToRead) {
      Contents(entries: WorkspaceLines.entries(in: bytes, .init(text: text)))
    }
    if let entries = found?.entries { return entries }
    return await load()
  }

  /// Returns the workspaces whose name, alone or after a server's name, begins with a word,
  /// ignoring case; limited for completion.
  ///
  /// `servers` maps servers to their names. If the file has another layout, all workspaces are
  /// returned.
  package func beginning(
    with word: String,
    of servers: [Fingerprint: String]
  ) -> [Fingerprint: Entry] {
    let word = word.lowercased()
    let choice = WorkspaceLines.Choice(
      text: WorkspaceLines.text(of: word) ?? "",
      limit: Self.completionLimit
    ) { server, workspace in
      let name = workspace.name.lowercased()
      return name.hasPrefix(word)
        || servers[server].map { "\($0.lowercased())/\(name)".hasPrefix(word) } ?? false
    }
    let found = bytes().flatMap { WorkspaceLines.entries(in: $0, choice) }
    return found ?? loadAtOnce()
  }

  private func bytes() -> [UInt8]? { try? files.read(file.path, limit: Self.sizeLimit) }

  /// Replaces the lists of some servers and keeps those of the others.
  func store(_ entries: [Fingerprint: Entry]) async {
    guard !entries.isEmpty else { return }
    let count = entries.reduce(0) { $0 + $1.value.workspaces.count }
    await change(ifLong: count > Self.fewWorkspaces) { members in
      for (server, entry) in entries { members[server.text] = Self.json(of: entry) }
    }
  }

  package func remove(_ server: Fingerprint) async {
    guard await load()[server] != nil else { return }
    await change(ifLong: false) { $0[server.text] = nil }
  }

  /// Avoids the runtime cost of a dictionary's generic metadata, which generic code would need.
  private struct Contents: Sendable {
    var entries: [Fingerprint: Entry]?
  }

  private func change(
    ifLong isLong: Bool,
    _ body: @escaping @Sendable (inout JSONObject) -> Void
  ) async {
    await files.attemptWaiting { () async throws(FileError) in
      try await file.update(ifLong: isLong) { members in
        var servers = members["servers"]?.object ?? [:]
        body(&servers)
        members["servers"] = .object(servers)
      }
    }
  }

  private static func entries(in members: JSONObject) -> [Fingerprint: Entry] {
    var entries: [Fingerprint: Entry] = [:]
    for (key, value) in members["servers"]?.object ?? [:] {
      guard let server = Fingerprint(key),
        let fetchedAt = value["fetchedAt"].string.flatMap(Timestamp.init(iso8601:))
      else { continue }
      let workspaces = value["workspaces"].array?.compactMap(Workspace.init(json:))
      entries[server] = Entry(fetchedAt: fetchedAt, workspaces: workspaces ?? [])
    }
    return entries
  }

  private static func json(of entry: Entry) -> JSONValue {
    [
      "fetchedAt": .string(entry.fetchedAt.iso8601),
      "workspaces": .array(entry.workspaces.map(\.json)),
    ]
  }
}

extension Services {
  package var cache: WorkspaceCache {
    WorkspaceCache(paths: paths, files: files)
  }
}
