// SPDX-License-Identifier: MIT

extension StyledText {
  /// The line with another one behind it.
  func with(_ other: StyledText) -> StyledText {
    var line = self
    for piece in other.pieces { line.append(piece.text, piece.style) }
    return line
  }

  /// The line with another one at the right end of a width; of the two this one gives way.
  func with(_ right: StyledText, at width: Int) -> StyledText {
    let room = width - DisplayWidth.of(right.plain) - 2
    let left = truncated(to: max(room, min(width, 10)))
    let space = max(2, width - DisplayWidth.of(left.plain) - DisplayWidth.of(right.plain))
    return left.with(StyledText(String(repeating: " ", count: space))).with(right)
      .truncated(to: width)
  }
}
