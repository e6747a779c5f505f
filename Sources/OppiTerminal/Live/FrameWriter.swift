// SPDX-License-Identifier: MIT

/// What a terminal shows of a block.
struct TerminalFrame: Sendable, Equatable {
  var rows: [[Canvas.Cell]] = []
  /// That of the terminal; `nil` if nothing is shown.
  var size: ScreenSize?
  var cursor: Cursor?
}

/// Writes one frame of a ``LiveRegion`` and tracks the row of the cursor.
///
/// Uses ECMA-48 sequences and three private modes that other terminals ignore: synchronized output
/// (2026), autowrap (7) and cursor visibility (25).
struct FrameWriter {
  private let theme: Theme
  private var row: Int
  private var output = "\(mode(2026, true))\(mode(25, false))\(Self.withoutWrapping)"

  /// Cuts a line that a terminal displays wider than expected; wrapping would shift all rows below.
  private static let withoutWrapping = mode(7, false)

  init(row: Int, in theme: Theme) {
    (self.row, self.theme) = (row, theme)
  }

  static func mode(_ number: Int, _ isSet: Bool) -> String {
    "\u{1B}[?\(number)\(isSet ? "h" : "l")"
  }

  /// Moves to a row of the block and clears everything from there.
  ///
  /// The row is cleared separately: if the rest of the screen is cleared from its first cell, tmux
  /// moves all rows to the scrollback, where stale ones would stay.
  mutating func clear(from row: Int = 0) {
    place(row: row, column: 0)
    output += "\u{1B}[K\u{1B}[C\u{1B}[J\r"
  }

  mutating func write(_ rows: [[Canvas.Cell]]) {
    output += rows.map { RowChange.text(of: $0, in: theme) }.joined(separator: "\r\n")
    row = max(0, rows.count - 1)
  }

  /// Prints finished text; the block begins below it.
  mutating func print(_ text: String) {
    output += Self.mode(7, true) + text + Self.withoutWrapping
    row = 0
  }

  /// Changes the rows of one block into those of another.
  mutating func replace(_ old: [[Canvas.Cell]], with new: [[Canvas.Cell]]) {
    for (index, line) in new.enumerated() {
      if index >= max(1, old.count) {
        place(row: index - 1, column: 0)
        // A line feed scrolls if the block ends at the bottom of the screen.
        output += "\r\n" + RowChange.text(of: line, in: theme)
        row = index
      } else if old.isEmpty || old[index] != line {
        let change = RowChange(from: old.isEmpty ? [] : old[index], to: line, in: theme)
        place(row: index, column: change.column)
        output += change.bytes
      }
    }
    if new.count < old.count {
      clear(from: new.count)
    }
  }

  mutating func place(row: Int, column: Int) {
    if row < self.row { output += "\u{1B}[\(self.row - row)A" }
    if row > self.row { output += "\u{1B}[\(row - self.row)B" }
    output += "\r"
    if column > 0 { output += "\u{1B}[\(column)C" }
    self.row = row
  }

  func end(showsCursor: Bool) -> [UInt8] {
    let cursor = showsCursor ? Self.mode(25, true) : ""
    return Array("\(output)\(Self.mode(7, true))\(cursor)\(Self.mode(2026, false))".utf8)
  }
}
