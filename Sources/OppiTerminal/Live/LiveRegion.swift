// SPDX-License-Identifier: MIT

/// A block of lines below the scrolled output that is redrawn in place.
///
/// Returns bytes but does not write them. All moves are relative to the cursor, which stays in the
/// block between calls, so that neither the position of the block nor the text above it matters. A
/// hidden cursor waits at the start of the block: wherever a resize moves it, only the block is below.
package struct LiveRegion: TerminalSurface {
  private var shown = TerminalFrame()
  private var isDrawn = false
  private var isStale = false

  package init() {}

  /// Returns the bytes that change the displayed lines into these lines, as one synchronized
  /// update.
  ///
  /// `above` are finished lines that stay above the block; the terminal wraps those that are too
  /// wide. Only lines that differ are written. Of a block taller than `height` minus one, only the
  /// last lines are drawn. After a change of size, everything is redrawn. Many terminals have wrapped
  /// the old lines to the new width, xterm has not; rows above a visible cursor may therefore remain
  /// from the old block, because to erase as many as it may have would erase printed text.
  ///
  /// The lines must not be wider than the terminal or contain control sequences other than those of
  /// ``Theme``.
  /// `cursor` is the position in the block; `nil` hides the cursor.
  package mutating func draw(
    _ lines: [String],
    width: Int,
    height: Int,
    cursor: (row: Int, column: Int)? = nil,
    above: [String] = []
  ) -> [UInt8] {
    let surplus = max(0, lines.count - max(1, height - 1))
    var frame = TerminalFrame(lines: Array(lines.dropFirst(surplus)), width: width, height: height)
    if let cursor, cursor.row >= surplus {
      (frame.row, frame.column) = (cursor.row - surplus, cursor.column)
    }
    let needsAll = !isDrawn || isStale || !frame.hasSize(of: shown) || !above.isEmpty
    guard needsAll || frame != shown else { return [] }
    var writer = FrameWriter(row: row)
    if needsAll {
      writer.clear()
      if !above.isEmpty { writer.print(above.map { $0 + "\r\n" }.joined()) }
      writer.write(frame.lines)
    } else {
      writer.replace(shown.lines, with: frame.lines)
    }
    (shown, isDrawn, isStale) = (frame, true, false)
    return end(writer)
  }

  /// Prints lines permanently above the block and redraws the block below them.
  ///
  /// The terminal wraps lines that are too wide.
  package mutating func printAbove(_ lines: [String]) -> [UInt8] {
    guard isDrawn else { return lines.flatMap { Array($0.utf8) + [0x0D, 0x0A] } }
    guard !lines.isEmpty else { return [] }
    let (size, cursor) = ((shown.width, shown.height), shown.row.map { ($0, shown.column) })
    return draw(shown.lines, width: size.0, height: size.1, cursor: cursor, above: lines)
  }

  /// Leaves the last frame as ordinary text, with a visible cursor below it.
  package mutating func finish() -> [UInt8] {
    guard isDrawn else { return [] }
    var writer = FrameWriter(row: row)
    if !shown.lines.isEmpty {
      // Terminals echo the `^C` or `^Z` that ended the program into the block.
      writer.clear()
      writer.write(shown.lines)
      writer.print("\r\n")
    }
    self = LiveRegion()
    return writer.end(showsCursor: true)
  }

  /// Removes the block and shows the cursor where the block began.
  package mutating func erase() -> [UInt8] {
    guard isDrawn else { return [] }
    var writer = FrameWriter(row: row)
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
    writer.place(row: row, column: shown.column)
    return writer.end(showsCursor: shown.row != nil)
  }

  /// The row of the terminal's cursor in the block.
  private var row: Int { shown.row ?? 0 }
}

/// A part of a terminal on which a program draws frames; returns bytes but does not write them.
package protocol TerminalSurface: Sendable {
  /// Returns the bytes that change the displayed lines into these lines.
  ///
  /// The lines must not be wider than the terminal or contain control sequences other than those of
  /// ``Theme``.
  /// `cursor` is a position in the lines; `nil` hides the cursor. `above` are finished lines to print
  /// permanently, on a surface that has room for them.
  mutating func draw(
    _ lines: [String],
    width: Int,
    height: Int,
    cursor: (row: Int, column: Int)?,
    above: [String]
  ) -> [UInt8]

  /// Returns the bytes that print lines permanently, on a surface that has room for them.
  mutating func printAbove(_ lines: [String]) -> [UInt8]

  /// Returns the bytes that set the title of the window; `nil` leaves it unchanged.
  mutating func name(_ title: String?) -> [UInt8]

  /// Returns the bytes that remove the surface and restore what it changed.
  mutating func erase() -> [UInt8]

  /// Makes the next frame write every line, because the displayed lines are gone or unknown.
  mutating func invalidate()

  /// Treats the surface as not drawn, because other programs may have used the terminal.
  mutating func forget()
}

extension TerminalSurface {
  package mutating func name(_ title: String?) -> [UInt8] { [] }
}
