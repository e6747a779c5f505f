// SPDX-License-Identifier: MIT

import OppiText

package struct Table: Sendable {
  static let gap = 2
  private let rows: [[StyledText]]
  /// Empty for columns without roles.
  private let roles: [TableColumn]
  /// The names of the columns above aligned lines; empty for none.
  private let headers: [String]
  /// The columns that are aligned to the right, such as numbers and times.
  private let isRight: [Bool]
  /// Whether the cells by which the reader decides are folded, and not cut.
  private let isFolded: Bool
  /// What the reader can do without.
  private let needs: TableNeeds

  /// `roles` has the role of each column; without roles, all columns are kept, and shortened if
  /// necessary.
  package init(
    _ rows: [[StyledText]],
    roles: [TableColumn] = [],
    headers: [String] = [],
    isRight: [Bool] = [],
    isFolded: Bool = true,
    needs: TableNeeds = .table
  ) {
    self.rows = rows
    self.roles = roles
    self.headers = headers
    self.isRight = isRight
    self.isFolded = isFolded
    self.needs = needs
  }

  /// Makes a row of cells for each element.
  package init<Element>(
    _ elements: [Element],
    headers: [String] = [],
    cells: (Element) -> [StyledText]
  ) {
    self.init(elements.map(cells), headers: headers)
  }

  /// Makes a row of cells without styles for each element.
  package init<Element>(
    plain elements: [Element],
    headers: [String] = [],
    cells: (Element) -> [String]
  ) {
    self.init(elements, headers: headers) { element in cells(element).map { StyledText($0) } }
  }

  /// Returns aligned lines of at most `width` columns.
  ///
  /// If the cells do not fit, columns are dropped, shortened or folded by their roles. Lines that
  /// are still too long are truncated.
  package func aligned(width: Int, theme: Theme) -> [String] {
    lines(width: width).map(theme.render)
  }

  /// The aligned lines with their styles: all, or those of some rows below the headers.
  package func lines(width: Int, of range: Range<Int>? = nil) -> [StyledText] {
    let natural = naturalWidths
    let roles = roles(of: natural.count)
    let widths = TableWidths(natural: natural, roles: roles, width: width, needs: needs).columns
    let shown = widths.indices.filter { widths[$0] > 0 }
    return (head(natural) + rows[range ?? rows.indices]).flatMap { row in
      let cells = shown.prefix { $0 < row.count }.map { column in
        folds(roles[column])
          ? row[column].folded(to: widths[column], rows: Self.mostRows)
          : [row[column].truncated(to: widths[column])]
      }
      let isRight = shown.map { self.isRight.indices.contains($0) && self.isRight[$0] }
      return Self.lines(of: cells, shown.map { widths[$0] }, isRight: isRight)
        .map { $0.truncated(to: width) }
    }
  }

  /// The lines of a row whose cells have several; at least one line.
  static func lines(
    of cells: [[StyledText]],
    _ widths: [Int],
    isRight: [Bool] = []
  ) -> [StyledText] {
    (0..<max(1, cells.map(\.count).max() ?? 1)).map { index in
      line(cells.map { index < $0.count ? $0[index] : StyledText() }, widths, isRight: isRight)
    }
  }

  /// A line of cells without padding after the last one with text.
  static func line(_ cells: [StyledText], _ widths: [Int], isRight: [Bool] = []) -> StyledText {
    let last = cells.lastIndex { !$0.isEmpty } ?? -1
    var line = StyledText()
    for (column, cell) in cells.prefix(last + 1).enumerated() {
      let count = max(0, widths[column] - DisplayWidth.of(cell.plain))
      let space = String(repeating: " ", count: count)
      let isRight = isRight.indices.contains(column) && isRight[column]
      if isRight { line.append(space) }
      line = line.with(cell)
      guard column < last else { break }
      line.append((isRight ? "" : space) + String(repeating: " ", count: gap))
    }
    return line
  }

  /// The maximum number of rows of a folded cell.
  private static let mostRows = 4

  /// Tables without roles have one line for each row.
  private func folds(_ role: TableColumn) -> Bool {
    isFolded && !roles.isEmpty && role == .decides
  }

  /// The row of headers of the columns that are not empty; none without rows.
  private func head(_ natural: [Int]) -> [[StyledText]] {
    guard !headers.isEmpty, !rows.isEmpty else { return [] }
    return [zip(headers, natural).map { StyledText($1 > 0 ? $0 : "", .heading) }]
  }

  private var naturalWidths: [Int] {
    (0..<(rows.map(\.count).max() ?? 0)).map { column in
      let widest = rows.map { column < $0.count ? DisplayWidth.of($0[column].plain) : 0 }.max() ?? 0
      guard widest > 0, headers.indices.contains(column) else { return widest }
      return max(widest, DisplayWidth.of(headers[column]))
    }
  }

  /// The role of each column; columns without a role are kept, and the last one is shortened first.
  private func roles(of count: Int) -> [TableColumn] {
    (0..<count).map { column in
      roles.indices.contains(column) ? roles[column] : column == count - 1 ? .decides : .kept
    }
  }

  /// Returns the rows for listeners: a line `Header: value` for each cell with a text, and an empty
  /// line between rows; without headers a line for each row.
  package func records() -> [StyledText] {
    guard !headers.isEmpty else {
      return rows.map { row in
        row.filter { !$0.isEmpty }
          .reduce(StyledText()) { $0.isEmpty ? $1 : $0.with(", ").with($1) }
      }
    }
    // Capital letters alone may be spelled.
    let labels = headers.map { StyledText($0.prefix(1) + $0.dropFirst().lowercased()) }
    let blocks = rows.map { row in
      let columns = row.indices.filter { !row[$0].isEmpty }
      return Self.record(
        of: columns.map { row[$0] },
        labels: columns.map { labels.indices.contains($0) ? labels[$0] : StyledText() }
      )
    }
    return Array(blocks.joined(separator: [StyledText()]))
  }

  /// The values of a row with their labels, a line for each; an empty value has its label, so that no
  /// column is lost.
  static func record(of cells: [StyledText], labels: [StyledText]) -> [StyledText] {
    (0..<max(labels.count, cells.count)).compactMap { column in
      let label = column < labels.count ? labels[column] : StyledText()
      let cell = column < cells.count ? cells[column] : StyledText()
      guard !label.isEmpty else { return cell.isEmpty ? nil : cell }
      return label.with(": ").with(cell)
    }
  }

  /// Returns lines of full values separated by tabs; an empty cell is an empty value.
  package func tabSeparated() -> [String] {
    rows.map { $0.map { $0.plain.safeLine(limit: .max) }.joined(separator: "\t") }
  }
}

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

  /// The order in which details are dropped; `nil` for other columns.
  fileprivate var rank: Int? {
    if case .detail(let rank) = self { rank } else { nil }
  }
}

/// How many columns the ``TableColumn/decides`` cells of a row need together.
package struct TableNeeds: Sendable {
  /// Details are dropped for so many columns.
  let whole: Int
  /// Context is shortened and dropped for so many columns.
  let readable: Int

  package static let table = TableNeeds(whole: 60, readable: 40)
  /// For a list whose selected row is shown whole elsewhere.
  package static let list = TableNeeds(whole: 40, readable: 22)
}

/// The widths of a table's columns; 0 for one that is empty or dropped.
struct TableWidths {
  /// The minimum width of a shortened column; cells remain distinguishable.
  private static let leastWidth = 8

  private(set) var columns: [Int]
  private let roles: [TableColumn]

  init(natural: [Int], roles: [TableColumn], width: Int, needs: TableNeeds = .table) {
    columns = natural
    self.roles = roles
    let details = columns { $0.rank != nil }
    drop(
      details.sorted { (roles[$0].rank ?? 0) < (roles[$1].rank ?? 0) },
      for: width,
      decides: needs.whole
    )
    shorten({ $0 == .context }, for: width, decides: needs.readable)
    // The last column is dropped first.
    drop(columns { $0 == .context }.reversed(), for: width, decides: needs.readable)
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

  /// Drops columns until the others fit.
  private mutating func drop(_ order: [Int], for width: Int, decides limit: Int) {
    for column in order where excess(over: width, decides: limit) > 0 { columns[column] = 0 }
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
