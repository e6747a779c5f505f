// SPDX-License-Identifier: MIT

import OppiText

/// A part of a screen in cells; the first row and column are 0.
package struct Rect: Sendable, Equatable {
  package var row: Int
  package var column: Int
  package var rows: Int
  package var columns: Int

  /// Negative sizes count as 0.
  package init(row: Int = 0, column: Int = 0, rows: Int, columns: Int) {
    (self.row, self.column) = (row, column)
    (self.rows, self.columns) = (max(0, rows), max(0, columns))
  }

  package var size: ScreenSize { ScreenSize(columns: columns, rows: rows) }

  package func contains(row: Int, column: Int) -> Bool {
    (self.row..<self.row + rows).contains(row)
      && (self.column..<self.column + columns).contains(column)
  }
}

/// The cursor of the terminal; the first row and column are 0.
package struct Cursor: Sendable, Equatable {
  package var row: Int
  package var column: Int
  /// Whether it is visible, as where text is typed.
  ///
  /// Elsewhere it is hidden, and its place tells Braille displays what is selected.
  package var isShown: Bool

  package init(row: Int, column: Int, isShown: Bool = true) {
    (self.row, self.column, self.isShown) = (row, column, isShown)
  }

  /// Hidden, on what is selected.
  package static func focus(row: Int = 0, column: Int = 0) -> Cursor {
    Cursor(row: row, column: column, isShown: false)
  }
}

/// A picture of a screen, or of some of its rows, in cells.
///
/// Text that is drawn later covers what is below it. Control sequences in the text are removed, and
/// nothing is drawn outside of the canvas.
package struct Canvas: Sendable, Equatable {
  /// A column of a row.
  struct Cell: Sendable, Equatable {
    static let blank = Cell(text: " ", style: .plain)

    /// A character, and those without columns after it; empty for a column that the character before
    /// it takes.
    var text: String
    var style: Style
    var link: Hyperlink?
    /// Whether it belongs to the selected row of a list.
    var isSelected = false
    /// Whether it begins an area.
    ///
    /// The terminal is told its column if it may have drawn the cells before it wider or narrower
    /// than counted.
    var isStart = false
  }

  package let width: Int
  private(set) var rows: [[Cell]]

  /// A blank canvas.
  package init(_ size: ScreenSize) {
    width = size.columns
    let row = Array(repeating: Cell.blank, count: size.columns)
    rows = Array(repeating: row, count: size.rows)
  }

  /// A canvas with a row for each line.
  package init(_ lines: [StyledText], width: Int) {
    self.width = max(1, width)
    rows = []
    let row = Array(repeating: Cell.blank, count: self.width)
    for (index, line) in lines.enumerated() {
      rows.append(row)
      draw(line, row: index, column: 0, columns: self.width)
    }
  }

  package var height: Int { rows.count }

  /// Draws lines into an area, from its first row on, as far as they fit; the rest of the area stays.
  package mutating func draw(_ lines: some Sequence<StyledText>, in area: Rect) {
    for (offset, line) in lines.prefix(area.rows).enumerated() {
      draw(line, row: area.row + offset, column: area.column, columns: area.columns)
    }
  }

  /// Draws a line from a column on, in at most `columns` columns; `…` marks that it was cut.
  package mutating func draw(_ line: StyledText, row: Int, column: Int, columns: Int) {
    guard rows.indices.contains(row), (0..<width).contains(column), columns > 0 else { return }
    let end = column + min(columns, width - column)
    var place = column
    for piece in line.truncated(to: end - column).pieces {
      for character in piece.text.safeBlock() {
        let text = character.isNewline ? " " : character.cells
        let columns = DisplayWidth.of(text)
        guard columns > 0 || place > column, place + columns <= end else { continue }
        place = put(text, piece, row: row, column: place, columns: columns)
      }
    }
    if column > 0 { rows[row][column].isStart = true }
    if end < width { rows[row][end].isStart = true }
  }

  /// Returns the column after the text.
  private mutating func put(
    _ text: String,
    _ piece: StyledText.Piece,
    row: Int,
    column: Int,
    columns: Int
  ) -> Int {
    guard columns > 0 else {
      let last = rows[row][..<column].lastIndex { !$0.text.isEmpty }
      if let last { rows[row][last].text += text }
      return column
    }
    split(row, column)
    split(row, column + columns)
    rows[row][column] = Cell(text: text, style: piece.style, link: piece.link)
    let rest = Cell(text: "", style: piece.style, link: piece.link)
    for index in column + 1..<column + columns { rows[row][index] = rest }
    return column + columns
  }

  /// Makes a character blank that begins before a column and ends behind it.
  private mutating func split(_ row: Int, _ column: Int) {
    guard column < width, rows[row][column].text.isEmpty else { return }
    var start = column
    while start > 0, rows[row][start].text.isEmpty { start -= 1 }
    var end = column
    while end < width, rows[row][end].text.isEmpty { end += 1 }
    for index in start..<end { rows[row][index] = .blank }
  }

  /// Marks an area as the selected row.
  package mutating func select(_ area: Rect) {
    let columns = (area.column..<area.column + area.columns).clamped(to: 0..<width)
    for row in (area.row..<area.row + area.rows).clamped(to: 0..<height) {
      for column in columns { rows[row][column].isSelected = true }
    }
  }

  /// Makes an area blank.
  package mutating func clear(_ area: Rect) {
    let line = StyledText(String(repeating: " ", count: area.columns))
    draw(repeatElement(line, count: area.rows), in: area)
  }

  /// The text of a row without trailing blanks.
  package func text(row: Int) -> String {
    guard rows.indices.contains(row) else { return "" }
    var text = rows[row].map(\.text).joined()[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
