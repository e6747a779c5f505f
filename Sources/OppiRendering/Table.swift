// SPDX-License-Identifier: MIT

import OppiModel

package struct Table: Sendable {
  private static let gap = 2

  private let rows: [[StyledText]]

  package init(_ rows: [[StyledText]]) {
    self.rows = rows
  }

  /// Makes a row of cells for each element.
  package init<Element>(_ elements: [Element], cells: (Element) -> [StyledText]) {
    rows = elements.map(cells)
  }

  /// Makes a row of cells without styles for each element.
  package init<Element>(plain elements: [Element], cells: (Element) -> [String]) {
    rows = elements.map { cells($0).map { StyledText($0) } }
  }

  /// The minimum width of a shortened column; cells remain distinguishable.
  private static let leastWidth = 8

  /// Returns aligned lines of at most `width` columns.
  ///
  /// If the cells do not fit, the widest columns except the last are shortened first; lines that
  /// are still too long are truncated.
  package func aligned(width: Int, theme: Theme) -> [String] {
    let widths = widths(within: width)
    return rows.map { row in
      var line = StyledText()
      for (column, wholeCell) in row.enumerated() where widths[column] > 0 {
        let cell = wholeCell.truncated(to: widths[column])
        for piece in cell.pieces { line.append(piece.text, piece.style) }
        // No padding after the last cell with text.
        guard row[(column + 1)...].contains(where: { !$0.isEmpty }) else { break }
        let space = widths[column] - DisplayWidth.of(cell.plain) + Self.gap
        line.append(String(repeating: " ", count: space))
      }
      return theme.render(line.truncated(to: width))
    }
  }

  private func widths(within width: Int) -> [Int] {
    let columns = rows.map(\.count).max() ?? 0
    var widths = (0..<columns).map { column in
      rows.map { column < $0.count ? DisplayWidth.of($0[column].plain) : 0 }.max() ?? 0
    }
    let shown = widths.indices.filter { widths[$0] > 0 }
    var excess = shown.reduce(0) { $0 + widths[$1] } + Self.gap * (shown.count - 1) - width
    // The last column may be truncated, but its beginning must be visible.
    if let last = shown.last { excess -= max(0, widths[last] - Self.leastWidth) }
    while excess > 0, let widest = shown.dropLast().max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.leastWidth
    {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  /// Returns lines of full values separated by tabs; an empty cell is an empty value.
  package func tabSeparated() -> [String] {
    rows.map { $0.map { $0.plain.safeLine(limit: .max) }.joined(separator: "\t") }
  }
}
