// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

/// The paired servers, in `servers.json`.
package struct ServerStore: Sendable {
  private let file: JSONFile
  /// Detected properties of the servers, kept separate from the file that users may edit.
  private let learned: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.serversFile, in: files)
    learned = JSONFile(path: paths.dialectsFile, in: files, .passing)
  }

  package struct Contents: Sendable, Equatable {
    /// In the order of pairing, but the default server first.
    package var servers: [PairedServer] = []

    var defaultServer: PairedServer? { servers.first }
  }

  /// Reads the file; throws if an entry is invalid, so that no entry is lost silently.
  func load() throws(FileError) -> Contents {
    var contents = try contents(of: file.load()?.object ?? [:])
    guard let dialects = try? learned.load() else { return contents }
    for index in contents.servers.indices {
      let entry = dialects[contents.servers[index].id.text]
      contents.servers[index].dialect = Dialect(json: entry)
      contents.servers[index].isDoubted = entry["otherServer"].bool ?? false
      contents.servers[index].version = entry["version"].string?.safeLine(limit: 40)
    }
    return contents
  }

  /// Records the dialect of a server, and keeps the recorded version; `nil` removes both.
  ///
  /// It can be detected again: a damaged file is replaced, and a file that another process is
  /// writing is not changed (`.lockHeld`).
  func remember(_ dialect: Dialect?, of server: Fingerprint) async throws(FileError) {
    try await remember(of: server) { entry in
      dialect.map { Self.entry($0, version: entry["version"].string, keeping: entry) }
    }
  }

  /// Records whether another server answers at the address of a server.
  func doubt(_ isDoubted: Bool, _ server: Fingerprint) async throws(FileError) {
    try await remember(of: server) { entry in
      var members = entry.object ?? [:]
      members["otherServer"] = isDoubted ? true : nil
      return members.isEmpty ? nil : .object(members)
    }
  }

  /// Records the dialect of a server and the version with which it was detected.
  func remember(
    _ dialect: Dialect?,
    version: String?,
    of server: Fingerprint
  ) async throws(FileError) {
    try await remember(of: server) { entry in
      let changed = Self.entry(dialect, version: version, keeping: entry)
      return changed == [:] ? nil : changed
    }
  }

  private func remember(
    of server: Fingerprint,
    _ change: (JSONValue) -> JSONValue?
  ) async throws(FileError) {
    do {
      try await learned.update(lockTimeout: Self.lockTimeout) { members throws(FileError) in
        members[server.text] = change(members[server.text] ?? .null)
      }
    } catch .corrupt, .unusable {
      try learned.save(.object([server.text: change(.null)]))
    }
  }

  /// Detection is not worth a longer wait.
  private static let lockTimeout = Duration.milliseconds(100)

  private static func entry(
    _ dialect: Dialect?,
    version: String?,
    keeping entry: JSONValue
  ) -> JSONValue {
    var members = dialect?.json.object ?? JSONObject()
    members["version"] = version.map(JSONValue.string)
    members["otherServer"] = entry["otherServer"].bool.map(JSONValue.bool)
    return .object(members)
  }

  /// Throws if the list could not be read or replaced.
  func checkWritable() throws(FileError) {
    _ = try load()
    try file.checkWritable()
  }

  /// Changes the list under its lock.
  package func update<Result>(
    _ body: (inout Contents) throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await file.update { members throws(FileError) in
      var contents = try contents(of: members)
      let result = try body(&contents)
      members["version"] = 1
      members["servers"] = .array(contents.servers.map(\.json))
      return result
    }
  }

  private func contents(of members: JSONObject) throws(FileError) -> Contents {
    var contents = Contents()
    guard let entries = (members["servers"] ?? []).array else {
      throw .unusable(path: file.path, reason: "servers is not a list")
    }
    for (index, entry) in entries.enumerated() {
      guard let server = PairedServer(json: entry) else {
        throw .unusable(path: file.path, reason: "entry \(index + 1) is not a paired server")
      }
      contents.servers.append(server)
    }
    return contents
  }
}
