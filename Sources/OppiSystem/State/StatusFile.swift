// SPDX-License-Identifier: MIT

package import OppiModel

/// How all sessions stand, in `status.json`: kept by a program that watches them, read by those that
/// want to know without asking a server.
///
/// It is replaced as a whole, and passing: a crash of the machine may lose it.
package struct StatusFile: Sendable {
  private let file: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    self.init(path: paths.statusFile, files: files)
  }

  private init(path: String, files: FileStore) {
    file = JSONFile(path: path, in: files, .passing)
  }

  /// What was last seen by a command that asked, for completion: of the same form, in
  /// `sessions.json`.
  package static func lastSeen(paths: XDGPaths, files: FileStore) -> StatusFile {
    StatusFile(path: paths.sessionsFile, files: files)
  }

  /// Where it is.
  package var path: String { file.path }

  /// Returns what was written last, however old it is; `nil` where there is nothing of use.
  package func load() -> FleetStatus? {
    (try? file.load()).flatMap { FleetStatus(json: $0) }
  }

  /// Replaces what was written last, unless a later version of this program wrote it.
  package func store(_ status: FleetStatus) throws(FileError) {
    try file.checkVersion()
    try file.save(status.json)
  }
}
