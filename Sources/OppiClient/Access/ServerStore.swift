// SPDX-License-Identifier: MIT

package import OppiSystem
package import OppiText
package import OppiWire

/// The paired servers, in `servers.json`.
package struct ServerStore: Sendable {
  private let file: RecordFile<Contents>
  /// Detected properties of the servers, kept separate from the file that users may edit, in
  /// `dialects.json`.
  private let learned: RecordFile<KeyedRecords<Traits>>
  private let files: FileStore

  package init(paths: XDGPaths, files: FileStore) {
    file = RecordFile(paths.serversFile, in: files, reason: Contents.fault)
    learned = RecordFile(paths.dialectsFile, in: files, .passing, isReplaceable: true)
    self.files = files
  }

  package struct Contents: ShapedRecord, Equatable {
    /// In the order of pairing, but the default server first.
    package var servers: [PairedServer] = []

    package var defaultServer: PairedServer? { servers.first }

    /// An invalid entry rejects the list, so that no entry is lost silently.
    package static let shape = RecordShape(
      Contents(),
      [
        .written("version") { _ in 1 },
        .custom("servers") {
          .array($0.servers.map(\.json))
        } read: { list, _, contents in
          let entries = (list ?? []).array
          contents.servers = entries?.compactMap { PairedServer(json: $0) } ?? []
          return contents.servers.count == entries?.count
        },
      ]
    )

    fileprivate static func fault(in json: JSONValue) -> String {
      let index = json["servers"].array?.firstIndex { PairedServer(json: $0) == nil }
      return index.map { "entry \($0 + 1) is not a paired server" } ?? "servers is not a list"
    }
  }

  /// Reads the file; throws if an entry is invalid.
  package func load() throws(FileError) -> Contents {
    guard var contents = try file.load() else { return Contents() }
    guard let learned = learned.usable() else { return contents }
    for index in contents.servers.indices {
      guard let traits = learned[contents.servers[index].id.text] else { continue }
      contents.servers[index].dialect = traits.dialect
      contents.servers[index].isDoubted = traits.isDoubted
      contents.servers[index].version = traits.version
    }
    return contents
  }

  /// Throws if the list could not be read or replaced.
  package func checkWritable() throws(FileError) { try file.checkWritable() }

  /// Changes the list under its lock.
  package func update<Result>(
    _ body: (inout Contents) throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await file.update(body)
  }

  // MARK: - Detected properties

  /// Records the dialect of a server, and keeps the recorded version; `nil` removes both.
  package func remember(_ dialect: Dialect?, of server: Fingerprint) async {
    await remember(of: server) { traits in
      traits.dialect = dialect
      if dialect == nil { traits.version = nil }
    }
  }

  /// Records whether another server answers at the address of a server.
  package func doubt(_ isDoubted: Bool, _ server: Fingerprint) async {
    await remember(of: server) { $0.isDoubted = isDoubted }
  }

  /// Records the dialect of a server and the version with which it was detected.
  package func remember(
    _ dialect: Dialect?,
    version: String?,
    of server: Fingerprint
  ) async {
    await remember(of: server) { ($0.dialect, $0.version) = (dialect, version) }
  }

  /// Changes what is known of a server.
  ///
  /// It can be detected again: a damaged file is replaced, and a file that another process is
  /// writing is not changed.
  private func remember(of server: Fingerprint, _ change: (inout Traits) -> Void) async {
    await files.attemptWaiting { () async throws(FileError) in
      try await learned.update(lockTimeout: Self.lockTimeout) { known throws(FileError) in
        var traits = known[server.text] ?? Traits()
        change(&traits)
        known[server.text] = traits == Traits() ? nil : traits
      }
    }
  }

  /// Detection is not worth a longer wait.
  private static let lockTimeout = Duration.milliseconds(100)

  private struct Traits: JSONRecord, Equatable {
    var dialect: Dialect?
    var version: String?
    var isDoubted = false

    init() {}

    /// The entry is the dialect, with other members.
    init(json: JSONValue) {
      dialect = Dialect(json: json)
      version = json["version"].string?.safeLine(limit: 40)
      isDoubted = json["otherServer"].bool ?? false
    }

    var json: JSONValue {
      var members = dialect?.json.object ?? [:]
      members["version"] = version.map(JSONValue.string)
      members["otherServer"] = isDoubted ? true : nil
      return .object(members)
    }
  }
}

extension Services {
  package var serverStore: ServerStore { ServerStore(paths: paths, files: files) }
}
