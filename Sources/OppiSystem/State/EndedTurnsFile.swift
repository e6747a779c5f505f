// SPDX-License-Identifier: MIT

package import OppiModel

/// The results of ended turns, in `turns.json`: servers forget failures when a session ends.
package struct EndedTurnsFile: Sendable {
  private let file: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.turnsFile, in: files, .passing)
  }

  /// Returns the known turns; none if the file is missing or unusable.
  package func load() -> EndedTurns {
    (try? file.load()).map { EndedTurns(json: $0) } ?? EndedTurns()
  }

  /// Replaces the file, unless a later version of this program wrote it.
  package func store(_ turns: EndedTurns) throws(FileError) {
    try file.save(turns.json)
  }
}
