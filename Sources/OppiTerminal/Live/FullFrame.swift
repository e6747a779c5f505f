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
    didSet { if theme != oldValue { invalidate() } }
  }
  package var isWholeScreen: Bool { true }
  package private(set) var isComplete = true
  /// What the terminal shows; `nil` for a row of which this is not known.
  private var shown: [[Canvas.Cell]?] = []
  private var size: ScreenSize?
  private var cursor: Cursor?
  private var isEntered = false
  /// Whether the terminal may be in the state of the alternate screen.
  private var mustLeave = false

  package init(in theme: Theme = .plain) { self.theme = theme }

  /// Returns the bytes that change the screen into a picture, as one synchronized update.
  ///
  /// Enters the alternate screen first if necessary. Rows below the screen are not drawn. After a
  /// change of size, every row is written again. The rows next to the cursor come first. The lines
  /// `above` are not printed: the alternate screen has no room for them.
  package mutating func draw(
    _ picture: Canvas,
    cursor: Cursor?,
    on size: ScreenSize,
    above: [StyledText] = [],
    limit: Int = .max
  ) -> [UInt8] {
    let blanks = Array(repeating: [Canvas.Cell](), count: max(0, size.rows - picture.height))
    let rows = picture.rows.prefix(size.rows) + blanks
    var place = cursor
    if let cursor {
      place?.row = min(max(0, cursor.row), size.rows - 1)
      place?.column = min(max(0, cursor.column), size.columns - 1)
    }
    if !isEntered || size != self.size { shown = Array(repeating: nil, count: size.rows) }
    let changed = rows.indices.filter { shown[$0] != rows[$0] }
    isComplete = changed.isEmpty
    guard !isEntered || !changed.isEmpty || place != self.cursor else { return [] }
    var output = FrameWriter.mode(2026, true)
    if !isEntered { output += FrameWriter.mode(Self.alternate, true) }
    output += FrameWriter.mode(25, false) + FrameWriter.mode(7, false)
    output += write(rows, at: Self.order(changed, around: place?.row ?? 0), limit: limit)
    output += FrameWriter.mode(7, true)
    if let place {
      output += Self.place(place.row, place.column)
      if place.isShown { output += FrameWriter.mode(25, true) }
    }
    (self.size, self.cursor, isEntered, mustLeave) = (size, place, true, true)
    return Array((output + FrameWriter.mode(2026, false)).utf8)
  }

  /// The rows as a user looks for them: first those where something was selected or typed.
  private static func order(_ rows: [Int], around row: Int) -> [Int] {
    rows.sorted { (abs($0 - row), $0) < (abs($1 - row), $1) }
  }

  /// Writes the rows of the numbers in their order, at least one, until the limit in bytes.
  private mutating func write(
    _ rows: ArraySlice<[Canvas.Cell]>,
    at numbers: [Int],
    limit: Int
  ) -> String {
    var output = ""
    for (count, number) in numbers.enumerated() {
      let row = rows[number]
      let change =
        shown[number].map { self.change(from: $0, to: row, at: number) }
        ?? whole(row, at: number)
      guard count == 0 || output.utf8.count + change.utf8.count <= limit else { return output }
      output += change
      shown[number] = row
    }
    isComplete = true
    return output
  }

  private func whole(_ row: [Canvas.Cell], at index: Int) -> String {
    Self.place(index, 0) + "\u{1B}[K" + RowChange.text(of: row, in: theme)
  }

  private func change(
    from old: [Canvas.Cell],
    to row: [Canvas.Cell],
    at index: Int
  ) -> String {
    let change = RowChange(from: old, to: row, in: theme)
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
    shown = Array(repeating: nil, count: shown.count)
  }

  /// Makes the next frame enter the alternate screen again.
  package mutating func forget() {
    isEntered = false
  }
}
