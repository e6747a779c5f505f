// SPDX-License-Identifier: MIT

package import OppiModel

/// What is known of turns that are over, in `turns.json`: servers forget how a turn failed when its
/// session ends, and are not asked twice.
package struct EndedTurnsFile: Sendable {
  private let file: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.turnsFile, in: files, .passing)
  }

  /// Returns what is known; nothing where there is no file of use.
  package func load() -> EndedTurns {
    (try? file.load()).map { EndedTurns(json: $0) } ?? EndedTurns()
  }

  /// Replaces what is known, unless a later version of this program wrote it.
  package func store(_ turns: EndedTurns) throws(FileError) {
    try file.checkVersion()
    try file.save(turns.json)
  }
}
