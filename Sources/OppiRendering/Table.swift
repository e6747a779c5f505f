// SPDX-License-Identifier: MIT

import OppiModel

/// Rows of cells, for a person's eyes or for another program.
package struct Table: Sendable {
  /// Columns are set apart by so many spaces.
  private static let gap = 2

  private var rows: [[StyledText]] = []

  package init() {}

  package mutating func add(_ cells: [StyledText]) {
    rows.append(cells)
  }

  /// A column of which so much is left tells its cells apart.
  private static let leastWidth = 8

  /// Returns aligned lines of at most `width` columns.
  ///
  /// Where there is not room for all, the widest columns before the last give way to the narrower
  /// ones, and a line that is still too long loses its end.
  package func aligned(width: Int, theme: Theme) -> [String] {
    let widths = widths(within: width)
    return rows.map { row in
      var line = StyledText()
      for (column, wholeCell) in row.enumerated() where widths[column] > 0 {
        let cell = wholeCell.truncated(to: widths[column])
        for piece in cell.pieces { line.append(piece.text, piece.style) }
        // The last cell that says anything needs no space behind it.
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
    // The last column may lose its end, but the first part of it is to be seen.
    if let last = shown.last { excess -= max(0, widths[last] - Self.leastWidth) }
    while excess > 0, let widest = shown.dropLast().max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.leastWidth
    {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  /// Returns lines of full values with tabs between them, an empty value for an empty cell.
  package func tabSeparated() -> [String] {
    rows.map { $0.map { $0.plain.safeLine(limit: .max) }.joined(separator: "\t") }
  }
}
