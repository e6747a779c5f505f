// SPDX-License-Identifier: MIT

/// A part of a terminal on which a program draws frames; returns bytes but does not write them.
package protocol TerminalSurface: Sendable {
  /// Returns the bytes that change the displayed lines into these lines.
  ///
  /// The lines must not be wider than the terminal or contain control sequences other than colours.
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
