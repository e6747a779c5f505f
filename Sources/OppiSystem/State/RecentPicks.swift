// SPDX-License-Identifier: MIT

import OppiModel

/// What this user has chosen from menus, in `recent-picks.json`, for nobody else to read.
///
/// Only the order is kept. What is lost of it changes the order of a menu, and nothing else.
package struct RecentPicks: Sendable {
  /// The most choices that are kept.
  package static let countLimit = 200

  private static let member = "picks"

  private let file: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(
      path: paths.recentPicksFile,
      in: files,
      limit: 1 << 20,
      lists: [Self.member],
      .passing
    )
  }

  /// Returns how recent each choice is: 0 for the last one; those that are not known are missing.
  package func ranks() -> [String: Int] {
    let json = try? file.load()
    let picks = (json?[Self.member].array ?? []).compactMap(\.string)
    return Dictionary(zip(picks.reversed(), 0...)) { first, _ in first }
  }

  /// Remembers a choice as the last one, and forgets the oldest beyond the limit.
  package func add(_ pick: String) async throws(FileError) {
    try await file.update { members throws(FileError) in
      var picks = (members[Self.member]?.array ?? []).compactMap(\.string)
      picks.removeAll { $0 == pick }
      picks.append(pick)
      members[Self.member] = .array(picks.suffix(Self.countLimit).map(JSONValue.string))
    }
  }
}
