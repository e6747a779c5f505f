// SPDX-License-Identifier: MIT

/// What happens to a column of a table that does not fit the width.
package enum TableColumn: Sendable, Equatable {
  /// What the reader decides by: a command, a title, what is awaited. It is kept, and folded.
  case decides
  /// A short value that is kept.
  case kept
  /// Where something is, for example its server. It is shortened, and then dropped.
  case context
  /// An age, an id, a cost. It is dropped before anything is shortened; the lowest number goes
  /// first.
  case detail(Int)
}

/// The widths of a table's columns; 0 for one that is empty or dropped.
struct TableWidths {
  /// The columns for all ``TableColumn/decides`` cells of a row, for which details are dropped.
  private static let wholeWidth = 60
  /// The columns for all ``TableColumn/decides`` cells of a row, for which context is shortened and
  /// dropped.
  private static let readableWidth = 40
  /// The minimum width of a shortened column; cells remain distinguishable.
  private static let leastWidth = 8

  private(set) var columns: [Int]
  private let roles: [TableColumn]

  init(natural: [Int], roles: [TableColumn], width: Int) {
    columns = natural
    self.roles = roles
    dropDetails(for: width)
    shorten({ $0 == .context }, for: width, decides: Self.readableWidth)
    dropContext(for: width)
    shorten({ $0 == .decides }, for: width)
    shorten({ $0 == .kept }, for: width)
  }

  private func columns(_ isWanted: (TableColumn) -> Bool) -> [Int] {
    columns.indices.filter { columns[$0] > 0 && isWanted(roles[$0]) }
  }

  /// How much is missing if the columns by which the reader decides share `limit` columns.
  private func excess(over width: Int, decides total: Int = .max) -> Int {
    let shown = columns { _ in true }
    let limit = total / max(1, columns { $0 == .decides }.count)
    let used = shown.reduce(0) { used, column in
      used + (roles[column] == .decides ? min(columns[column], limit) : columns[column])
    }
    return used + Table.gap * max(0, shown.count - 1) - width
  }

  private mutating func dropDetails(for width: Int) {
    let order = columns { $0.rank != nil }.sorted { (roles[$0].rank ?? 0) < (roles[$1].rank ?? 0) }
    for column in order where excess(over: width, decides: Self.wholeWidth) > 0 {
      columns[column] = 0
    }
  }

  /// Drops the last column first.
  private mutating func dropContext(for width: Int) {
    for column in columns({ $0 == .context }).reversed()
    where excess(over: width, decides: Self.readableWidth) > 0 {
      columns[column] = 0
    }
  }

  /// Shortens the widest of some columns until all fit or all are at the minimum.
  private mutating func shorten(
    _ isWanted: (TableColumn) -> Bool,
    for width: Int,
    decides limit: Int = .max
  ) {
    var excess = excess(over: width, decides: limit)
    let wanted = columns(isWanted)
    while excess > 0, let widest = wanted.max(by: { columns[$0] < columns[$1] }),
      columns[widest] > Self.leastWidth
    {
      columns[widest] -= 1
      excess -= 1
    }
  }
}

extension TableColumn {
  /// The order in which details are dropped; `nil` for other columns.
  fileprivate var rank: Int? {
    if case .detail(let rank) = self { rank } else { nil }
  }
}
