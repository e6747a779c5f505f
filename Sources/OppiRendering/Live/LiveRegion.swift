// SPDX-License-Identifier: MIT

import OppiModel

/// A block of lines at the bottom of the terminal's scroll that is redrawn in place.
///
/// It makes bytes and writes none. All moves are relative to the cursor, which stays inside the
/// block between two calls, so that the block needs to know neither where it stands nor what is
/// above it.
package struct LiveRegion: Sendable {
  private struct Position: Sendable, Equatable {
    var row: Int
    var column: Int
  }

  private struct Frame: Sendable, Equatable {
    var lines: [String] = []
    /// Where the cursor is seen, `nil` where it is hidden.
    var cursor: Position?

    init() {}

    /// Keeps the last lines of those that are more than fit.
    init(_ all: [String], cursor: (row: Int, column: Int)?, rows: Int) {
      let surplus = max(0, all.count - rows)
      lines = Array(all.dropFirst(surplus))
      if let cursor, cursor.row >= surplus {
        self.cursor = Position(row: cursor.row - surplus, column: cursor.column)
      }
    }
  }

  private var shown = Frame()
  private var width = 0
  private var height = 0
  private var isDrawn = false
  private var isStale = false

  package init() {}

  /// Returns the bytes that turn what is shown into these lines: nothing where that is the same,
  /// else only the lines that differ, as one synchronized update.
  ///
  /// Of a block that is taller than the screen only the last lines are drawn. Where the size has
  /// changed, all is drawn anew without being asked for, on the assumption that the terminal has
  /// wrapped the old lines to the new width, as all common ones but xterm do.
  ///
  /// - Parameters:
  ///   - lines: Rendered lines; none is wider than the terminal or holds controls but colours.
  ///   - width: The terminal's columns.
  ///   - height: The terminal's rows; all but one of them are used at most.
  ///   - cursor: The row in the block and the column where the cursor is seen; `nil` hides it.
  /// - Returns: What to write to the terminal, all of it.
  package mutating func draw(
    _ lines: [String],
    width: Int,
    height: Int,
    cursor: (row: Int, column: Int)? = nil
  ) -> [UInt8] {
    let frame = Frame(lines, cursor: cursor, rows: max(1, height - 1))
    let needsAll = !isDrawn || isStale || (width, height) != (self.width, self.height)
    guard needsAll || frame != shown else { return [] }
    var writer = FrameWriter(row: rowsAboveCursor(at: width))
    if needsAll {
      writer.clear()
      writer.write(frame.lines)
    } else {
      writer.replace(shown.lines, with: frame.lines)
    }
    (shown, self.width, self.height) = (frame, width, height)
    (isDrawn, isStale) = (true, false)
    return end(writer)
  }

  /// Prints lines above the block, into the scrollback, for good, and the block again below them.
  ///
  /// - Parameters:
  ///   - lines: Rendered lines; where they are wider than the terminal, it wraps them.
  ///   - width: The terminal's columns now, where they may have changed since the last frame.
  /// - Returns: What to write to the terminal, all of it.
  package mutating func printAbove(_ lines: [String], width: Int? = nil) -> [UInt8] {
    let text = lines.map { $0 + "\r\n" }.joined()
    guard isDrawn else { return Array(text.utf8) }
    guard !lines.isEmpty else { return [] }
    let width = width ?? self.width
    var writer = FrameWriter(row: rowsAboveCursor(at: width))
    writer.clear()
    writer.print(text)
    writer.write(shown.lines)
    self.width = width
    isStale = false
    return end(writer)
  }

  /// Leaves the last frame as ordinary text with the cursor, seen again, below it.
  package mutating func finish() -> [UInt8] {
    guard isDrawn else { return [] }
    var writer = FrameWriter(row: position.row)
    if let last = shown.lines.last {
      // Terminals echo the `^C` or `^Z` that has brought about the end into this line.
      writer.rewrite(last, inRow: shown.lines.count - 1)
      writer.print("\r\n")
    }
    self = LiveRegion()
    return writer.end(showsCursor: true)
  }

  /// Takes the block away; the cursor, seen again, is where the block began.
  package mutating func erase() -> [UInt8] {
    guard isDrawn else { return [] }
    var writer = FrameWriter(row: position.row)
    writer.clear()
    self = LiveRegion()
    return writer.end(showsCursor: true)
  }

  /// Makes the next frame write every line, since what is shown is gone or unknown.
  ///
  /// The cursor must be where the last frame has left it, or at the top of a cleared screen. Where
  /// others have moved it, as after Ctrl-Z and back, ``finish()`` comes first.
  package mutating func invalidate() {
    isStale = true
  }

  private func end(_ writer: FrameWriter) -> [UInt8] {
    var writer = writer
    writer.place(row: position.row, column: position.column)
    return writer.end(showsCursor: shown.cursor != nil)
  }

  /// Where the terminal's cursor is in the block: a hidden one is at the end.
  private var position: Position {
    if let cursor = shown.cursor { return cursor }
    guard let last = shown.lines.last else { return Position(row: 0, column: 0) }
    return Position(row: shown.lines.count - 1, column: min(columns(of: last), max(0, width - 1)))
  }

  /// How many rows the block has above the cursor once its lines are wrapped to a width.
  private func rowsAboveCursor(at newWidth: Int) -> Int {
    let position = position
    guard shown.lines.indices.contains(position.row) else { return 0 }
    let above = shown.lines[..<position.row].map { 1 + breaks(in: $0, at: newWidth) }
    let line = shown.lines[position.row]
    return above.reduce(breaks(in: line, through: position.column, at: newWidth), +)
  }

  /// How often a line is wrapped at a width before the character in a column.
  private func breaks(in line: String, through end: Int = .max, at newWidth: Int) -> Int {
    var (breaks, rowStart, column) = (0, 0, 0)
    for character in line.safeBlock() {
      let next = column + DisplayWidth.of(String(character))
      guard column <= end, next <= width else { break }
      if next - rowStart > newWidth { (breaks, rowStart) = (breaks + 1, column) }
      column = next
    }
    return breaks
  }

  /// The columns that a line takes on the screen, where no line takes more than one row.
  private func columns(of line: String) -> Int {
    min(DisplayWidth.of(line.safeBlock()), width)
  }
}
