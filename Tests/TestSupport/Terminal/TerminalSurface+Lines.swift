// SPDX-License-Identifier: MIT

package import OppiTerminal

extension Canvas {
  /// The text of each row, without blanks at its end.
  package var texts: [String] { (0..<height).map(text) }
}

extension TerminalSurface {
  /// Draws lines as a picture.
  package mutating func draw(
    _ lines: [StyledText],
    width: Int,
    height: Int,
    cursor: (row: Int, column: Int)? = nil,
    above: [StyledText] = [],
    limit: Int = .max
  ) -> [UInt8] {
    draw(
      Canvas(lines, width: width),
      cursor: cursor.map { Cursor(row: $0.row, column: $0.column) },
      on: ScreenSize(columns: width, rows: height),
      above: above,
      limit: limit
    )
  }
}
