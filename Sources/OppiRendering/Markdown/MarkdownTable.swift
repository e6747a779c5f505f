// SPDX-License-Identifier: MIT

/// A table with aligned columns if they fit, else the lines as written.
struct MarkdownTable {
  private static let gap = "  "

  let rows: [StyledText]

  /// Removes a table from the start of the lines; `nil` if there is none.
  init?(_ rest: inout ArraySlice<MarkdownLine>, width: Int) {
    guard Self.begins(rest) else { return nil }
    var lines = [rest.removeFirst()]
    let rule = rest.removeFirst()
    while let line = rest.first, line.isRow {
      lines.append(line)
      rest.removeFirst()
    }
    rows =
      Self.aligned(lines, rule: rule, width: width)
      ?? ([lines[0], rule] + lines.dropFirst()).flatMap { line in
        var filler = RowFiller(width: width)
        filler.add(StyledText.Piece(text: line.text, style: .plain))
        return filler.finish()
      }
  }

  /// Whether the lines begin with a table: a row, and a rule with the same number of columns.
  static func begins(_ lines: ArraySlice<MarkdownLine>) -> Bool {
    guard let head = lines.first, head.isRow, let rule = lines.dropFirst().first, rule.isTableRule
    else { return false }
    return head.cells.count == rule.cells.count
  }

  private static func aligned(
    _ lines: [MarkdownLine],
    rule: MarkdownLine,
    width: Int
  ) -> [StyledText]? {
    let rows = lines.enumerated().map { index, line in
      line.cells.map { cell(of: $0, index == 0 ? .heading : .plain) }
    }
    let columns = rows.map(\.count).max() ?? 0
    var widths = Array(repeating: 0, count: columns)
    for row in rows {
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], DisplayWidth.of(cell.plain))
      }
    }
    guard widths.reduce(0, +) + gap.count * (columns - 1) <= width else { return nil }
    let areNumbers = rule.cells.map { $0.last == UInt8(ascii: ":") && $0.first != $0.last }
    let isRight = (0..<columns).map { $0 < areNumbers.count && areNumbers[$0] }
    var table = rows.map { line(of: $0, widths, isRight) }
    let dashes = widths.map { StyledText(String(repeating: "─", count: $0), .dim) }
    table.insert(line(of: dashes, widths, isRight), at: 1)
    return table
  }

  private static func cell(of bytes: ArraySlice<UInt8>, _ style: Style) -> StyledText {
    var cell = StyledText()
    for piece in InlineText.pieces(of: String(decoding: bytes, as: UTF8.self), style: style) {
      cell.append(piece.text, piece.style)
    }
    return cell
  }

  private static func line(
    of cells: [StyledText],
    _ widths: [Int],
    _ isRight: [Bool]
  ) -> StyledText {
    let last = cells.lastIndex { !$0.isEmpty } ?? -1
    var line = StyledText()
    for (column, cell) in cells.prefix(last + 1).enumerated() {
      let space = String(repeating: " ", count: widths[column] - DisplayWidth.of(cell.plain))
      if isRight[column] { line.append(space) }
      for piece in cell.pieces { line.append(piece.text, piece.style) }
      guard column < last else { break }
      line.append((isRight[column] ? "" : space) + gap)
    }
    return line
  }
}

extension MarkdownLine {
  private static let bar = UInt8(ascii: "|")

  fileprivate var isRow: Bool { !isCode && bytes.contains(Self.bar) }

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
