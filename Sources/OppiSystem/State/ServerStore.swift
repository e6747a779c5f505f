// SPDX-License-Identifier: MIT

package import OppiModel

/// The paired servers, in `servers.json`.
package struct ServerStore: Sendable {
  private let file: JSONFile

  package init(paths: XDGPaths) {
    file = JSONFile(path: paths.serversFile)
  }

  /// What the file holds.
  package struct Contents: Sendable, Equatable {
    /// In the order of pairing, but the default server first.
    package var servers: [PairedServer] = []

    /// The server that counts as the first.
    package var defaultServer: PairedServer? { servers.first }
  }

  /// Reads the file; throws where an entry cannot be understood, so that none is lost in silence.
  package func load() throws(FileError) -> Contents {
    try contents(of: file.load()?.object ?? [:])
  }

  /// Changes the list while no other process can.
  package func update<Result>(
    _ body: (inout Contents) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    try file.update { members throws(FileError) in
      var contents = try contents(of: members)
      let result = try body(&contents)
      members["version"] = 1
      members["servers"] = .array(contents.servers.map(\.json))
      return result
    }
  }

  private func contents(of members: [String: JSONValue]) throws(FileError) -> Contents {
    var contents = Contents()
    for (index, entry) in (members["servers"]?.array ?? []).enumerated() {
      guard let server = PairedServer(json: entry) else {
        throw .unusable(path: file.path, reason: "entry \(index + 1) is not a paired server")
      }
      contents.servers.append(server)
    }
    return contents
  }
}
