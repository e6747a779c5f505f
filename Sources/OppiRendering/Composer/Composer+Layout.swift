// SPDX-License-Identifier: MIT

extension Composer {
  /// Lays out the text after a prompt; later rows are indented to the width of the prompt.
  ///
  /// A prompt wider than half of `width` is truncated. If there are more than `maxRows` rows, those
  /// around the cursor are returned. There is at least one line.
  package func layout(
    width: Int,
    prompt: StyledText,
    maxRows: Int
  ) -> (lines: [StyledText], cursor: (row: Int, column: Int)) {
    let prompt = prompt.truncated(to: width / 2)
    let indent = DisplayWidth.of(prompt.plain)
    let maxRows = max(1, maxRows)
    let range = nearbyLines(maxRows)
    let grid = ComposerGrid(buffer, range, pastes, width: max(1, width - indent))
    let top = max(0, min(grid.cursor.row - maxRows / 2, grid.rows.count - maxRows))
    let lines = grid.rows.enumerated().dropFirst(top).prefix(maxRows).map { row, text in
      let isFirst = row == 0 && range.lowerBound == 0
      var line = isFirst ? prompt : StyledText(String(repeating: " ", count: indent))
      line.append(text)
      return line
    }
    return (lines, (grid.cursor.row - top, indent + grid.cursor.column))
  }

  /// The lines around the cursor that can be visible at most, so that a long text costs no more.
  private func nearbyLines(_ count: Int) -> Range<Int> {
    let characters = buffer.characters
    var (start, end) = (buffer.lineStart, buffer.lineEnd)
    for _ in 1..<max(2, count) {
      if start > 0 { start = buffer.start(ofLineAt: start - 1) }
      if end < characters.count {
        end = characters[(end + 1)...].firstIndex(of: "\n") ?? characters.count
      }
    }
    return start..<end
  }
}

private struct ComposerGrid {
  private let width: Int
  private let pastes: PastedTexts
  private(set) var rows = [""]
  private(set) var cursor = (row: 0, column: 0)
  private var column = 0

  init(_ buffer: EditBuffer, _ range: Range<Int>, _ pastes: PastedTexts, width: Int) {
    (self.width, self.pastes) = (width, pastes)
    for position in range {
      let character = buffer.characters[position]
      if position == buffer.cursor { placeCursor(before: character) }
      append(character)
    }
    if range.upperBound == buffer.cursor { placeCursor(before: "\n") }
  }

  /// Moves the cursor to the next row if the character does not fit in this one.
  private mutating func placeCursor(before character: Character) {
    makeRoom(for: max(1, cells(of: character).columns))
    cursor = (rows.count - 1, column)
  }

  private mutating func append(_ character: Character) {
    if character == "\n" { return beginRow() }
    let (text, columns) = cells(of: character)
    makeRoom(for: columns)
    rows[rows.count - 1] += text
    column += columns
  }

  private func cells(of character: Character) -> (text: String, columns: Int) {
    if let label = pastes.label(of: character) {
      let fits = DisplayWidth.prefix(of: label, width: width)
      return (fits, DisplayWidth.of(fits))
    }
    let columns = character.columns
    return columns > width ? ("…", 1) : (character.cells, columns)
  }

  private mutating func makeRoom(for columns: Int) {
    if column + columns > width { beginRow() }
  }

  private mutating func beginRow() {
    rows.append("")
    column = 0
  }
}
