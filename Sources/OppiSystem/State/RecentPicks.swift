// SPDX-License-Identifier: MIT

import OppiModel

/// The user's recent choices in menus, in `recent-picks.json`, readable only by this user.
///
/// Only the order is kept; losing it affects only the order of menus.
package struct RecentPicks: Sendable {
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

  /// Returns the rank of each known choice: 0 for the last one.
  package func ranks() -> [String: Int] {
    let json = try? file.load()
    let picks = (json?[Self.member].array ?? []).compactMap(\.string)
    return Dictionary(zip(picks.reversed(), 0...)) { first, _ in first }
  }

  /// Records a choice as the last one; beyond the limit, the oldest are dropped.
  package func add(_ pick: String) async throws(FileError) {
    try await file.update { members throws(FileError) in
      var picks = (members[Self.member]?.array ?? []).compactMap(\.string)
      picks.removeAll { $0 == pick }
      picks.append(pick)
      members[Self.member] = .array(picks.suffix(Self.countLimit).map(JSONValue.string))
    }
  }
}
