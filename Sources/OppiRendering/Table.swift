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

  /// Returns aligned lines of at most `width` columns; a line that is too long loses its end.
  package func aligned(width: Int, theme: Theme) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? DisplayWidth.of($0[column].plain) : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = StyledText()
      for (column, cell) in row.enumerated() where widths[column] > 0 {
        for piece in cell.pieces { line.append(piece.text, piece.style) }
        // The last cell that says anything needs no space behind it.
        guard row[(column + 1)...].contains(where: { !$0.isEmpty }) else { break }
        let space = widths[column] - DisplayWidth.of(cell.plain) + Self.gap
        line.append(String(repeating: " ", count: space))
      }
      return theme.render(line.truncated(to: width))
    }
  }

  /// Returns lines of full values with tabs between them, an empty value for an empty cell.
  package func tabSeparated() -> [String] {
    rows.map { $0.map { $0.plain.safeLine(limit: .max) }.joined(separator: "\t") }
  }
}
