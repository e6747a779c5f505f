// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The results of ended turns, in `turns.json`: servers forget failures when a session ends.
struct EndedTurnsFile: Sendable {
  private let file: JSONFile

  init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.turnsFile, in: files, .passing)
  }

  /// Returns the known turns; none if the file is missing or unusable.
  func load() -> EndedTurns {
    (try? file.load()).map { EndedTurns(json: $0) } ?? EndedTurns()
  }

  /// Replaces the file, unless a later version of this program wrote it.
  func store(_ turns: EndedTurns) throws(FileError) {
    try file.save(turns.json)
  }
}
