// SPDX-License-Identifier: MIT

/// What a terminal shows of a surface, with the size of the terminal.
struct TerminalFrame: Sendable, Equatable {
  var lines: [String] = []
  var width = 0
  var height = 0
  /// The visible cursor; `nil` if it is hidden.
  var row: Int?
  var column = 0

  func hasSize(of other: TerminalFrame) -> Bool {
    (width, height) == (other.width, other.height)
  }
}

/// Writes one frame of a ``LiveRegion`` and tracks the row of the cursor.
///
/// Uses ECMA-48 sequences and three private modes that other terminals ignore: synchronized output
/// (2026), autowrap (7) and cursor visibility (25).
struct FrameWriter {
  private var row: Int
  private var output = "\(mode(2026, true))\(mode(25, false))\(Self.withoutWrapping)"

  /// Cuts a line that a terminal displays wider than expected; wrapping would shift all rows below.
  private static let withoutWrapping = mode(7, false)

  init(row: Int) {
    self.row = row
  }

  /// The sequence that begins a text at a column of the row, from 0, also if the terminal has drawn
  /// the text before it up to there or further.
  static func begin(at column: Int) -> String { "\u{1B}[\(column + 1)G\u{1B}[K" }

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

  mutating func write(_ lines: [String]) {
    output += lines.joined(separator: "\r\n")
    row = max(0, lines.count - 1)
  }

  /// Prints finished text; the block begins below it.
  mutating func print(_ text: String) {
    output += Self.mode(7, true) + text + Self.withoutWrapping
    row = 0
  }

  /// Changes the lines of one block into those of another.
  mutating func replace(_ old: [String], with new: [String]) {
    for (index, line) in new.enumerated() {
      if index >= max(1, old.count) {
        place(row: index - 1, column: 0)
        // A line feed scrolls if the block ends at the bottom of the screen.
        output += "\r\n" + line
        row = index
      } else if old.isEmpty || old[index] != line {
        place(row: index, column: 0)
        // Erased first, because the end of a full line cannot be erased afterwards.
        output += "\u{1B}[K" + line
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

/// The change of a displayed row into another one: where it starts, and what to write there.
///
/// Cells that stay the same at both ends are not written again, so that a moved selection takes a
/// few bytes on a slow connection. Terminals differ in the width of characters, so a change starts
/// only where the column is certain, and the end of a row stays only if nothing before it can move.
struct RowChange: Equatable {
  /// From 0.
  let column: Int
  let bytes: String

  private static let erasure = "\u{1B}[K"

  /// `old` and `new` are rendered lines, with no other control sequences than colours, links and
  /// beginnings at a column.
  init(from old: String, to new: String) {
    guard let old = Self.cells(of: old), let new = Self.cells(of: new) else {
      (column, bytes) = (0, Self.erasure + new)
      return
    }
    let start: Int
    (start, column) = Self.start(of: zip(old, new).prefix { $0 == $1 }.map(\.0))
    let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    let (before, after) = (old[start..<(old.count - end)], new[start..<(new.count - end)])
    if Self.keep(new[(new.count - end)...], before + after), Self.haveSameWidth(before, after) {
      bytes = Self.text(of: after)
    } else {
      bytes = Self.erasure + Self.text(of: new[start...])
    }
  }

  // MARK: - Cells

  /// A character and the colours before it.
  private struct Cell: Equatable {
    let text: Character
    let style: Substring
    /// The column at which it begins a text, from 0; `nil` if it follows the cell before.
    let column: Int?
  }

  /// The last cell after these whose column is certain, and that column.
  private static func start(of same: [Cell]) -> (index: Int, column: Int) {
    var place = (index: 0, column: 0)
    for (index, cell) in same.enumerated() {
      if let column = cell.column { place = (index, column) }
      guard place.index == index, cell.text.isASCII else { continue }
      place = (index + 1, place.column + 1)
    }
    return place
  }

  /// The mark of the selected row, which has one column in every terminal that shows it right.
  private static let selection: Character = "▸"

  private static func isCertain(_ text: Character) -> Bool { text.isASCII || text == selection }

  /// Whether the end of a row stays as it is while cells before it are written.
  ///
  /// A text at a column of its own erases what is behind it, and cells of uncertain width may reach
  /// into it.
  private static func keep(_ end: ArraySlice<Cell>, _ written: ArraySlice<Cell>) -> Bool {
    written.allSatisfy { $0.column == nil }
      && (written.allSatisfy { isCertain($0.text) } || end.allSatisfy { $0.column == nil })
  }

  /// Whether two texts take the same columns in any terminal: their characters of uncertain width
  /// are the same, in the same order.
  private static func haveSameWidth(_ old: ArraySlice<Cell>, _ new: ArraySlice<Cell>) -> Bool {
    func uncertain(_ cells: ArraySlice<Cell>) -> [Character] {
      cells.map(\.text).filter { !isCertain($0) }
    }
    return old.count == new.count && uncertain(old) == uncertain(new)
  }

  /// The cells of a line; `nil` if it has links, or characters that terminals may combine otherwise.
  private static func cells(of line: String) -> [Cell]? {
    var cells: [Cell] = []
    var style: Substring = ""
    var column: Int?
    var rest = line[...]
    while let character = rest.first {
      guard character != "\u{1B}" else {
        guard rest.hasPrefix("\u{1B}["), let end = rest.firstIndex(where: { "mGK".contains($0) })
        else { return nil }
        switch rest[end] {
        case "G": column = Int(rest[..<end].dropFirst(2)).map { $0 - 1 }
        case "m": style = rest[...end] == reset ? "" : rest[...end]
        default: break
        }
        rest = rest[rest.index(after: end)...]
        continue
      }
      guard character.unicodeScalars.count == 1 else { return nil }
      cells.append(Cell(text: character, style: style, column: column))
      column = nil
      rest = rest.dropFirst()
    }
    return cells
  }

  private static let reset: Substring = "\u{1B}[0m"

  private static func text(of cells: ArraySlice<Cell>) -> String {
    var text = ""
    var style: Substring = ""
    for cell in cells {
      if cell.style != style {
        if !style.isEmpty { text += reset }
        text += cell.style
        style = cell.style
      }
      if let column = cell.column { text += FrameWriter.begin(at: column) }
      text.append(cell.text)
    }
    return style.isEmpty ? text : text + reset
  }
}
