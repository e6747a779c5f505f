// SPDX-License-Identifier: MIT

package import OppiModel

/// The workspaces of each server as they were last listed, in `workspaces.json`.
///
/// The cache can always be fetched again, so trouble with it is a warning and never a failure.
package struct WorkspaceCache: Sendable {
  /// One server's list.
  package struct Entry: Sendable, Equatable {
    package var fetchedAt: Timestamp
    package var workspaces: [Workspace]

    package init(fetchedAt: Timestamp, workspaces: [Workspace]) {
      self.fetchedAt = fetchedAt
      self.workspaces = workspaces
    }
  }

  private let file: JSONFile
  private let warn: @Sendable (String) -> Void

  package init(paths: XDGPaths, warn: @escaping @Sendable (String) -> Void) {
    file = JSONFile(path: paths.workspacesFile)
    self.warn = warn
  }

  package func load() -> [Fingerprint: Entry] {
    do {
      return Self.entries(in: try file.load() ?? .null)
    } catch {
      recover(from: error)
      return [:]
    }
  }

  /// Replaces the lists of some servers and keeps those of the others.
  package func store(_ entries: [Fingerprint: Entry]) {
    guard !entries.isEmpty else { return }
    do {
      try save { members in
        for (server, entry) in entries { members[server.text] = Self.json(of: entry) }
      }
    } catch {
      recover(from: error)
    }
  }

  package func remove(_ server: Fingerprint) {
    guard !load().isEmpty else { return }
    do {
      try save { $0[server.text] = nil }
    } catch {
      recover(from: error)
    }
  }

  private func save(_ body: (inout [String: JSONValue]) -> Void) throws(FileError) {
    try file.update { members throws(FileError) in
      var servers = members["servers"]?.object ?? [:]
      body(&servers)
      members["servers"] = .object(servers)
    }
  }

  private func recover(from error: FileError) {
    switch error {
    case .corrupt, .unusable:
      if let aside = try? FileStore.keepAside(file.path) {
        warn("the workspace cache was damaged and is now \(aside)")
      }
    default: warn("the workspace cache cannot be used: \(file.path)")
    }
  }

  private static func entries(in json: JSONValue) -> [Fingerprint: Entry] {
    var entries: [Fingerprint: Entry] = [:]
    for (key, value) in json["servers"].object ?? [:] {
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
