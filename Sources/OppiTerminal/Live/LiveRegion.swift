// SPDX-License-Identifier: MIT

/// A block of lines below the scrolled output that is redrawn in place.
///
/// Returns bytes but does not write them. All moves are relative to the cursor, which stays in the
/// block between calls, so that neither the position of the block nor the text above it matters. A
/// hidden cursor waits at the start of the block: wherever a resize moves it, only the block is below.
package struct LiveRegion: TerminalSurface {
  package var theme: Theme {
    didSet { isStale = isStale || theme != oldValue }
  }
  package var isWholeScreen: Bool { false }
  package var isComplete: Bool { true }
  private var shown = TerminalFrame()
  private var isDrawn = false
  private var isStale = false

  package init(in theme: Theme = .plain) { self.theme = theme }

  /// Returns the bytes that change the displayed rows into a picture, as one synchronized update.
  ///
  /// Only cells that differ are written. Of a picture taller than the screen minus one row, only the
  /// last rows are drawn. After a change of size, everything is redrawn. Many terminals have wrapped
  /// the old rows to the new width, xterm has not; rows above a visible cursor may therefore remain
  /// from the old block, because to erase as many as it may have would erase printed text.
  ///
  /// A hidden cursor stays at the start of the block. `above` are finished lines that stay above the
  /// block; the terminal wraps those that are too wide. There is no limit: the block is small.
  package mutating func draw(
    _ picture: Canvas,
    cursor: Cursor? = nil,
    on size: ScreenSize,
    above: [StyledText] = [],
    limit: Int = .max
  ) -> [UInt8] {
    let surplus = max(0, picture.height - max(1, size.rows - 1))
    var frame = TerminalFrame(rows: Array(picture.rows.dropFirst(surplus)), size: size)
    if var cursor, cursor.isShown, cursor.row >= surplus {
      cursor.row -= surplus
      frame.cursor = cursor
    }
    return draw(frame, above: above)
  }

  private mutating func draw(_ frame: TerminalFrame, above: [StyledText]) -> [UInt8] {
    let needsAll = !isDrawn || isStale || frame.size != shown.size || !above.isEmpty
    guard needsAll || frame != shown else { return [] }
    var writer = FrameWriter(row: row, in: theme)
    if needsAll {
      writer.clear()
      if !above.isEmpty { writer.print(above.map { theme.render($0) + "\r\n" }.joined()) }
      writer.write(frame.rows)
    } else {
      writer.replace(shown.rows, with: frame.rows)
    }
    (shown, isDrawn, isStale) = (frame, true, false)
    return end(writer)
  }

  /// Prints lines permanently above the block and redraws the block below them.
  ///
  /// The terminal wraps lines that are too wide.
  package mutating func printAbove(_ lines: [StyledText]) -> [UInt8] {
    guard isDrawn else { return lines.flatMap { Array(theme.render($0).utf8) + [0x0D, 0x0A] } }
    return lines.isEmpty ? [] : draw(shown, above: lines)
  }

  /// Leaves the last frame as ordinary text, with a visible cursor below it.
  package mutating func finish() -> [UInt8] {
    guard isDrawn else { return [] }
    var writer = FrameWriter(row: row, in: theme)
    if !shown.rows.isEmpty {
      // Terminals echo the `^C` or `^Z` that ended the program into the block.
      writer.clear()
      writer.write(shown.rows)
      writer.print("\r\n")
    }
    self = LiveRegion(in: theme)
    return writer.end(showsCursor: true)
  }

  /// Removes the block and shows the cursor where the block began.
  package mutating func erase() -> [UInt8] {
    guard isDrawn else { return [] }
    var writer = FrameWriter(row: row, in: theme)
    writer.clear()
    self = LiveRegion(in: theme)
    return writer.end(showsCursor: true)
  }

  /// Makes the next frame write every row, because the displayed rows are gone or unknown.
  ///
  /// The cursor must be where the last frame left it, or at the top of a cleared screen. If other
  /// programs have moved it, as after Ctrl-Z, call ``finish()`` first.
  package mutating func invalidate() {
    isStale = true
  }

  package mutating func forget() {
    self = LiveRegion(in: theme)
  }

  private func end(_ writer: FrameWriter) -> [UInt8] {
    var writer = writer
    writer.place(row: row, column: shown.cursor?.column ?? 0)
    return writer.end(showsCursor: shown.cursor != nil)
  }

  /// The row of the terminal's cursor in the block.
  private var row: Int { shown.cursor?.row ?? 0 }
}

/// A part of a terminal on which a program draws frames; returns bytes but does not write them.
package protocol TerminalSurface: Sendable {
  /// How the styles look; a change draws everything again.
  var theme: Theme { get set }

  /// Whether it takes the whole screen, and not the end of the scrollback, which the wheel of the mouse
  /// scrolls.
  var isWholeScreen: Bool { get }

  /// Whether all of the last picture was drawn.
  var isComplete: Bool { get }

  /// Returns the bytes that change what is displayed into a picture of the width of the screen.
  ///
  /// `cursor` is a position in the picture; `nil` hides the cursor. `above` are finished lines to
  /// print permanently, on a surface that has room for them. `limit` is about the number of bytes
  /// that the terminal takes at once; a large surface leaves the rest of its rows to the next call.
  mutating func draw(
    _ picture: Canvas,
    cursor: Cursor?,
    on size: ScreenSize,
    above: [StyledText],
    limit: Int
  ) -> [UInt8]

  /// Returns the bytes that print lines permanently, on a surface that has room for them.
  mutating func printAbove(_ lines: [StyledText]) -> [UInt8]

  /// Returns the bytes that remove the surface and restore what it changed.
  mutating func erase() -> [UInt8]

  /// Makes the next frame write every row, because the displayed rows are gone or unknown.
  mutating func invalidate()

  /// Treats the surface as not drawn, because other programs may have used the terminal.
  mutating func forget()
}
