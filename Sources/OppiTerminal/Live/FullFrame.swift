// SPDX-License-Identifier: MIT

import OppiText

/// The whole screen of a terminal, drawn on the alternate screen, which leaves the scrollback alone.
///
/// Returns bytes but does not write them. Rows are addressed absolutely, and only the cells that
/// differ are written; the screen is never cleared as a whole, which would flicker.
package struct FullFrame: TerminalSurface {
  /// Switches to the alternate screen and saves the cursor of the main screen.
  private static let alternate = 1049

  package var theme: Theme {
    didSet { isStale = isStale || theme != oldValue }
  }
  package var isWholeScreen: Bool { true }
  private var shown = TerminalFrame()
  private var isEntered = false
  /// Whether the terminal may be in the state of the alternate screen.
  private var mustLeave = false
  private var isStale = false

  package init(in theme: Theme = .plain) { self.theme = theme }

  /// Returns the bytes that change the screen into a picture, as one synchronized update.
  ///
  /// Enters the alternate screen first if necessary. Rows below the screen are not drawn. After a
  /// change of size, every row is written again. The lines `above` are not printed: the alternate
  /// screen has no room for them.
  package mutating func draw(
    _ picture: Canvas,
    cursor: Cursor?,
    on size: ScreenSize,
    above: [StyledText] = []
  ) -> [UInt8] {
    let blanks = Array(repeating: [Canvas.Cell](), count: max(0, size.rows - picture.height))
    var frame = TerminalFrame(rows: picture.rows.prefix(size.rows) + blanks, size: size)
    if let cursor {
      frame.cursor = Cursor(
        row: min(max(0, cursor.row), size.rows - 1),
        column: min(max(0, cursor.column), size.columns - 1),
        isShown: cursor.isShown
      )
    }
    let needsAll = !isEntered || isStale || frame.size != shown.size
    guard needsAll || frame != shown else { return [] }
    var output = FrameWriter.mode(2026, true)
    if !isEntered { output += FrameWriter.mode(Self.alternate, true) }
    output += FrameWriter.mode(25, false) + FrameWriter.mode(7, false)
    for (index, row) in frame.rows.enumerated() where needsAll || shown.rows[index] != row {
      output += needsAll ? whole(row, at: index) : change(to: row, at: index)
    }
    output += FrameWriter.mode(7, true)
    if let cursor = frame.cursor {
      output += Self.place(cursor.row, cursor.column)
      if cursor.isShown { output += FrameWriter.mode(25, true) }
    }
    (shown, isEntered, mustLeave, isStale) = (frame, true, true, false)
    return Array((output + FrameWriter.mode(2026, false)).utf8)
  }

  private func whole(_ row: [Canvas.Cell], at index: Int) -> String {
    Self.place(index, 0) + "\u{1B}[K" + RowChange.text(of: row, in: theme)
  }

  private func change(to row: [Canvas.Cell], at index: Int) -> String {
    let change = RowChange(from: shown.rows[index], to: row, in: theme)
    return Self.place(index, change.column) + change.bytes
  }

  /// The sequence that moves the cursor to a row and a column, both from 0.
  private static func place(_ row: Int, _ column: Int) -> String {
    "\u{1B}[\(row + 1);\(column + 1)H"
  }

  /// Returns nothing: the alternate screen has no room above the frame.
  package mutating func printAbove(_ lines: [StyledText]) -> [UInt8] { [] }

  /// Returns the bytes that restore the main screen and its cursor.
  package mutating func erase() -> [UInt8] {
    var output = ""
    if mustLeave {
      output += FrameWriter.mode(Self.alternate, false) + FrameWriter.mode(25, true)
    }
    self = FullFrame(in: theme)
    return Array(output.utf8)
  }

  package mutating func invalidate() {
    isStale = true
  }

  /// Makes the next frame enter the alternate screen again.
  package mutating func forget() {
    (isEntered, isStale) = (false, false)
  }
}
