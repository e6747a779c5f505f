// SPDX-License-Identifier: MIT

/// A table whose rows arrive one by one.
///
/// The columns are sized by the first rows; the rows after these follow as they arrive.
struct MarkdownTable: Sendable {
  /// The number of rows that determine the columns.
  private static let sizingRows = 100

  private var lines: [MarkdownLine]
  private let rule: MarkdownLine
  private var grid: TableGrid?

  init(head: MarkdownLine, rule: MarkdownLine) {
    (lines, self.rule) = ([head], rule)
  }

  /// Whether two lines begin a table: a row, and a rule with the same number of columns.
  static func begins(_ head: MarkdownLine, _ rule: MarkdownLine) -> Bool {
    head.isRow && rule.isTableRule && head.cells.count == rule.cells.count
  }

  /// Adds a row and returns the rows of the terminal that it completes.
  mutating func take(_ line: MarkdownLine, in layout: MarkdownLayout) -> [StyledText] {
    guard !layout.isSilent else { return [] }
    guard grid == nil else { return grid?.rows(of: cells(of: line, layout), isFirst: false) ?? [] }
    lines.append(line)
    return lines.count > Self.sizingRows ? finish(in: layout) : []
  }

  /// Returns the rows that were not returned before.
  mutating func finish(in layout: MarkdownLayout) -> [StyledText] {
    guard !layout.isSilent else { return [StyledText()] }
    guard grid == nil else { return [] }
    let rows = lines.enumerated().map { index, line in
      cells(of: line, layout, index == 0 ? .heading : .plain)
    }
    lines = []
    let areNumbers = rule.cells.map { $0.last == UInt8(ascii: ":") && $0.first != $0.last }
    let width = min(layout.room, MarkdownReader.blockWidth)
    let isSpoken = layout.look == .spoken
    let grid = TableGrid(rows, isRight: areNumbers, isSpoken: isSpoken, width: width)
    self.grid = grid
    guard rows.count > 1 else { return grid.rows(ofHead: rows[0]) }
    return grid.head(rows[0])
      + rows.dropFirst().enumerated().flatMap { grid.rows(of: $1, isFirst: $0 == 0) }
  }

  private func cells(
    of line: MarkdownLine,
    _ layout: MarkdownLayout,
    _ style: Style = .plain
  ) -> [StyledText] {
    line.cellTexts(layout.look, style)
  }
}

extension MarkdownLine {
  private static let bar = UInt8(ascii: "|")

  var isRow: Bool { !isCode && bytes.contains(Self.bar) }

  /// Whether the line separates the head of a table from its rows.
  fileprivate var isTableRule: Bool {
    isRow
      && cells.allSatisfy { cell in
        let colon = UInt8(ascii: ":")
        let start = cell.first == colon ? cell.dropFirst() : cell
        let dashes = start.last == colon ? start.dropLast() : start
        return !dashes.isEmpty && dashes.allSatisfy { $0 == UInt8(ascii: "-") }
      }
  }

  /// The texts of the cells.
  func cellTexts(_ look: MarkdownLook, _ style: Style = .plain) -> [StyledText] {
    cells.map { InlineText.styled(String(decoding: $0, as: UTF8.self), style, look) }
  }

  /// The cells between the bars, trimmed.
  fileprivate var cells: [ArraySlice<UInt8>] {
    var cells: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var isEscaped = false
    for index in bytes.indices {
      if bytes[index] == Self.bar, !isEscaped {
        cells.append(bytes[start..<index].trimmed)
        start = index + 1
      }
      isEscaped = bytes[index] == UInt8(ascii: "\\") && !isEscaped
    }
    cells.append(bytes[start...].trimmed)
    // The bars at both ends are optional.
    if cells.count > 1, cells.first?.isEmpty == true { cells.removeFirst() }
    if cells.count > 1, cells.last?.isEmpty == true { cells.removeLast() }
    return cells
  }
}

extension ArraySlice<UInt8> {
  fileprivate var trimmed: ArraySlice<UInt8> {
    let space = UInt8(ascii: " ")
    let end = lastIndex { $0 != space } ?? startIndex - 1
    return self[...end].drop { $0 == space }
  }
}

/// The columns of a table: as wide as their cells, narrower with wrapped cells, or, if there are too
/// many, none, so that each row becomes a record of labelled values, as for listeners.
struct TableGrid: Sendable {
  /// A narrower column with wrapped text cannot be read.
  private static let leastColumn = 8

  private let width: Int
  /// The width of each column; `nil` for records.
  private let widths: [Int]?
  private let isRight: [Bool]
  private let labels: [StyledText]
  /// Whether rules separate the rows, because cells are wrapped.
  private let hasRules: Bool
  /// Whether empty rows separate records.
  private let isSpoken: Bool

  /// Sizes the columns for rows, of which the first is the head.
  init(_ rows: [[StyledText]], isRight: [Bool], isSpoken: Bool, width: Int) {
    let count = rows.map(\.count).max() ?? 0
    var natural = Array(repeating: 0, count: count)
    for row in rows {
      for (column, cell) in row.enumerated() {
        natural[column] = max(natural[column], DisplayWidth.of(cell.plain))
      }
    }
    (self.width, self.isSpoken) = (width, isSpoken)
    labels = rows.first ?? []
    self.isRight = natural.indices.map { $0 < isRight.count && isRight[$0] }
    let room = width - Table.gap * max(0, count - 1)
    hasRules = natural.reduce(0, +) > room
    widths = isSpoken ? nil : hasRules ? Self.shrunk(natural, to: room) : natural
  }

  /// Shares the room: narrow columns keep their width, the wide ones get equal shares of the rest;
  /// `nil` if they would be too narrow.
  private static func shrunk(_ natural: [Int], to room: Int) -> [Int]? {
    var widths = natural
    var (left, open) = (room, natural.count)
    for column in natural.indices.sorted(by: { natural[$0] < natural[$1] }) {
      let share = max(0, left) / max(1, open)
      widths[column] = min(natural[column], share)
      guard widths[column] >= min(natural[column], leastColumn) else { return nil }
      left -= widths[column]
      open -= 1
    }
    return widths
  }

  /// The head with its rule; none for records, which repeat the labels.
  func head(_ cells: [StyledText]) -> [StyledText] {
    guard let widths else { return [] }
    return lines(of: cells, widths) + [rule(widths)]
  }

  /// The rows of a table that consists of its head.
  func rows(ofHead cells: [StyledText]) -> [StyledText] {
    widths == nil ? cells.flatMap { Self.wrapped($0, to: width) } : head(cells)
  }

  /// The rows of the terminal for a row of the table.
  func rows(of cells: [StyledText], isFirst: Bool) -> [StyledText] {
    guard let widths else { return record(of: cells, isFirst: isFirst) }
    return (isFirst || !hasRules ? [] : [rule(widths)]) + lines(of: cells, widths)
  }

  private func rule(_ widths: [Int]) -> StyledText {
    Table.line(widths.map { StyledText(String(repeating: "─", count: $0), .dim) }, widths)
  }

  // MARK: - Columns

  private func lines(of cells: [StyledText], _ widths: [Int]) -> [StyledText] {
    // A cell beyond the columns is a row of the last one.
    let columns = Array(cells.prefix(widths.count))
    let widths = stretched(widths, for: columns)
    let blocks = zip(columns, widths).map { Self.wrapped($0, to: $1) }
    let more = cells.dropFirst(widths.count).flatMap { Self.wrapped($0, to: width) }
    return Table.lines(of: blocks, widths, isRight: isRight) + more
  }

  /// The columns of a later row with wider cells than the rows that sized the columns: as wide as
  /// these if they fit.
  private func stretched(_ widths: [Int], for cells: [StyledText]) -> [Int] {
    guard !hasRules else { return widths }
    var stretched = widths
    for (column, cell) in cells.enumerated() {
      stretched[column] = max(stretched[column], DisplayWidth.of(cell.plain))
    }
    let total = stretched.reduce(Table.gap * (widths.count - 1), +)
    return total <= width ? stretched : widths
  }

  private static func wrapped(_ cell: StyledText, to width: Int) -> [StyledText] {
    guard DisplayWidth.of(cell.plain) > width else { return [cell] }
    var filler = RowFiller(width: max(Markdown.minimumWidth, width))
    filler.add(cell)
    return filler.finish()
  }

  // MARK: - Records

  /// The values with their labels; an empty value has its label, so that no column is lost.
  private func record(of cells: [StyledText], isFirst: Bool) -> [StyledText] {
    let count = isSpoken ? 0 : min(width, 20)
    let rule = StyledText(String(repeating: "─", count: count), .dim)
    let fields = Table.record(of: cells, labels: labels)
    return (isFirst ? [] : [rule])
      + fields.flatMap { field -> [StyledText] in
        var filler = RowFiller(width: width)
        filler.add(field)
        return filler.finish()
      }
  }
}
