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
  mutating func take(
    _ line: MarkdownLine,
    in layout: MarkdownLayout,
    _ nests: MarkdownNests
  ) -> [StyledText] {
    guard !layout.isSilent else { return [] }
    guard grid == nil else { return grid?.rows(of: cells(of: line, layout), isFirst: false) ?? [] }
    lines.append(line)
    return lines.count > Self.sizingRows ? finish(in: layout, nests) : []
  }

  /// Returns the rows that were not returned before.
  mutating func finish(in layout: MarkdownLayout, _ nests: MarkdownNests) -> [StyledText] {
    guard !layout.isSilent else { return [StyledText()] }
    guard grid == nil else { return [] }
    let rows = lines.enumerated().map { index, line in
      cells(of: line, layout, index == 0 ? .heading : .plain)
    }
    lines = []
    let areNumbers = rule.cells.map { $0.last == UInt8(ascii: ":") && $0.first != $0.last }
    let width = min(layout.room(nests), MarkdownReader.blockWidth)
    let grid = TableGrid(rows, isRight: areNumbers, width: width)
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
    line.cells.map { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      var cell = StyledText()
      for piece in InlineText.pieces(of: text, style: style, links: layout.links) {
        cell.append(piece)
      }
      return cell
    }
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
