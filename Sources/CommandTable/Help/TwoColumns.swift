// SPDX-License-Identifier: MIT

/// A list of terms and meanings; the meanings are aligned and wrapped.
struct TwoColumns {
  let rows: [(term: String, meaning: String)]

  private static let indent = 2
  private static let gap = 2

  /// Returns the list without a final line break.
  func text(width: Int) -> String {
    // A wider term has a line of its own; the limit is 30 of 80 columns.
    let widestTerm = width * 3 / 8
    let fitting = rows.map(\.term.count).filter { $0 <= widestTerm }
    let column = Self.indent + (fitting.max() ?? widestTerm) + Self.gap
    return rows.flatMap { row in
      lines(of: row, column: column, width: width)
    }
    .joined(separator: "\n")
  }

  private func lines(
    of row: (term: String, meaning: String),
    column: Int,
    width: Int
  ) -> [String] {
    let margin = String(repeating: " ", count: column)
    let term = String(repeating: " ", count: Self.indent) + row.term
    var lines = Prose.wrap(row.meaning, width: width - column).map { margin + $0 }
    if let first = lines.first, term.count + Self.gap <= column {
      lines[0] = term + first.dropFirst(term.count)
    } else {
      lines.insert(term, at: 0)
    }
    return lines
  }
}
