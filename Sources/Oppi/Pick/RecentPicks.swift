// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The user's recent choices in menus, in `recent-picks.json`, readable only by this user.
///
/// Only the order is kept; losing it affects only the order of menus.
struct RecentPicks: Sendable {
  static let countLimit = 200

  private let list: TextListFile

  init(paths: XDGPaths, files: FileStore) {
    list = TextListFile(path: paths.recentPicksFile, in: files, limit: 1 << 20, member: "picks")
  }

  /// Returns the rank of each known choice: 0 for the last one.
  func ranks() -> [String: Int] {
    Dictionary(zip(list.load().reversed(), 0...)) { first, _ in first }
  }

  /// Records a choice as the last one; beyond the limit, the oldest are dropped.
  func add(_ pick: String) async throws(FileError) {
    try await list.update { picks in
      picks.removeAll { $0 == pick }
      picks.append(pick)
      picks = picks.suffix(Self.countLimit)
    }
  }
}
