// SPDX-License-Identifier: MIT

import OppiModel

/// A block of lines below the scrolled output that is redrawn in place.
///
/// Returns bytes but does not write them. All moves are relative to the cursor, which stays in the
/// block between calls, so that neither the position of the block nor the text above it matters.
package struct LiveRegion: TerminalSurface {
  private struct Position: Sendable, Equatable {
    var row: Int
    var column: Int
  }

  private struct Frame: Sendable, Equatable {
    var lines: [String] = []
    /// The position of the visible cursor; `nil` if it is hidden.
    var cursor: Position?

    init() {}

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

  /// Returns the bytes that change the displayed lines into these lines, as one synchronized
  /// update.
  ///
  /// `above` are finished lines that stay above the block; the terminal wraps those that are too
  /// wide. Only lines that differ are written. Of a block taller than `height` minus one, only the
  /// last lines are drawn. After a change of size, everything is redrawn; this assumes that the
  /// terminal has wrapped the old lines to the new width, as all common terminals except xterm do.
  ///
  /// The lines must not be wider than the terminal or contain control sequences other than colours.
  /// `cursor` is the position in the block; `nil` hides the cursor.
  package mutating func draw(
    _ lines: [String],
    width: Int,
    height: Int,
    cursor: (row: Int, column: Int)? = nil,
    above: [String] = []
  ) -> [UInt8] {
    let frame = Frame(lines, cursor: cursor, rows: max(1, height - 1))
    let isResized = (width, height) != (self.width, self.height)
    let needsAll = !isDrawn || isStale || isResized || !above.isEmpty
    guard needsAll || frame != shown else { return [] }
    var writer = FrameWriter(row: rowsAboveCursor(at: width))
    if needsAll {
      writer.clear()
      if !above.isEmpty { writer.print(above.map { $0 + "\r\n" }.joined()) }
      writer.write(frame.lines)
    } else {
      writer.replace(shown.lines, with: frame.lines)
    }
    (shown, self.width, self.height) = (frame, width, height)
    (isDrawn, isStale) = (true, false)
    return end(writer)
  }

  /// Prints lines permanently above the block and redraws the block below them.
  ///
  /// The terminal wraps lines that are too wide. `width` is needed if it may have changed since the
  /// last frame.
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

  /// Leaves the last frame as ordinary text, with a visible cursor below it.
  package mutating func finish() -> [UInt8] {
    guard isDrawn else { return [] }
    var writer = FrameWriter(row: position.row)
    if let last = shown.lines.last {
      // Terminals echo the `^C` or `^Z` that ended the program into this line.
      writer.rewrite(last, inRow: shown.lines.count - 1)
      writer.print("\r\n")
    }
    self = LiveRegion()
    return writer.end(showsCursor: true)
  }

  /// Removes the block and shows the cursor where the block began.
  package mutating func erase() -> [UInt8] {
    guard isDrawn else { return [] }
    var writer = FrameWriter(row: position.row)
    writer.clear()
    self = LiveRegion()
    return writer.end(showsCursor: true)
  }

  /// Makes the next frame write every line, because the displayed lines are gone or unknown.
  ///
  /// The cursor must be where the last frame left it, or at the top of a cleared screen. If other
  /// programs have moved it, as after Ctrl-Z, call ``finish()`` first.
  package mutating func invalidate() {
    isStale = true
  }

  package mutating func forget() {
    self = LiveRegion()
  }

  private func end(_ writer: FrameWriter) -> [UInt8] {
    var writer = writer
    writer.place(row: position.row, column: position.column)
    return writer.end(showsCursor: shown.cursor != nil)
  }

  /// The position of the terminal's cursor in the block; a hidden cursor is at the end.
  private var position: Position {
    if let cursor = shown.cursor { return cursor }
    guard let last = shown.lines.last else { return Position(row: 0, column: 0) }
    return Position(row: shown.lines.count - 1, column: min(columns(of: last), max(0, width - 1)))
  }

  /// The number of rows above the cursor after the lines are wrapped to a width.
  private func rowsAboveCursor(at newWidth: Int) -> Int {
    let position = position
    guard shown.lines.indices.contains(position.row) else { return 0 }
    let above = shown.lines[..<position.row].map { 1 + breaks(in: $0, at: newWidth) }
    let line = shown.lines[position.row]
    return above.reduce(breaks(in: line, through: position.column, at: newWidth), +)
  }

  /// The number of wraps in a line before the character in a column.
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

  /// The columns of a line on the screen, at most one row.
  private func columns(of line: String) -> Int {
    min(DisplayWidth.of(line.safeBlock()), width)
  }
}
