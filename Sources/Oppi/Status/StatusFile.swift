// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The state of all sessions, in `status.json`: written by a watching program for programs that do
/// not query the servers.
///
/// It is replaced atomically and not flushed: a crash of the machine may lose it.
struct StatusFile: Sendable {
  private let file: JSONFile

  init(paths: XDGPaths, files: FileStore) {
    self.init(path: paths.statusFile, files: files)
  }

  private init(path: String, files: FileStore) {
    file = JSONFile(path: path, in: files, .passing)
  }

  /// The result of a command's last query, for completion: in the same format, in `sessions.json`.
  static func lastSeen(paths: XDGPaths, files: FileStore) -> StatusFile {
    StatusFile(path: paths.sessionsFile, files: files)
  }

  var path: String { file.path }

  /// Returns the last state of any age; `nil` if the file is missing or unusable.
  func load() -> FleetStatus? {
    (try? file.load()).flatMap { FleetStatus(json: $0) }
  }

  /// Replaces the file, unless a later version of this program wrote it.
  func store(_ status: FleetStatus) throws(FileError) {
    try file.save(status.json)
  }
}
