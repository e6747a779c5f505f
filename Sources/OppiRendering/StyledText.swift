// SPDX-License-Identifier: MIT

/// A line of text in pieces with styles.
package struct StyledText: Sendable, Equatable {
  package struct Piece: Sendable, Equatable {
    package var text: String
    package var style: Style
  }

  package private(set) var pieces: [Piece]

  package init(_ text: String = "", _ style: Style = .plain) {
    pieces = text.isEmpty ? [] : [Piece(text: text, style: style)]
  }

  package var plain: String { pieces.map(\.text).joined() }

  package var isEmpty: Bool { pieces.isEmpty }

  package mutating func append(_ text: String, _ style: Style = .plain) {
    if !text.isEmpty { pieces.append(Piece(text: text, style: style)) }
  }

  /// Appends to the last piece if it has the same style.
  mutating func append(joining text: String, _ style: Style) {
    if pieces.last?.style == style {
      pieces[pieces.count - 1].text += text
    } else {
      append(text, style)
    }
  }

  /// The line truncated to a width in columns; `…` marks the truncation.
  package func truncated(to width: Int) -> StyledText {
    guard DisplayWidth.of(plain) > width else { return self }
    var cut = StyledText()
    var room = max(0, width - 1)
    for piece in pieces {
      let kept = DisplayWidth.prefix(of: piece.text, width: room)
      cut.append(kept, piece.style)
      room -= DisplayWidth.of(kept)
      if kept.count < piece.text.count { break }
    }
    if width > 0 { cut.append("…", .dim) }
    return cut
  }
}

extension StyledText: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self.init(value) }
}

extension StyledText {
  package func with(_ other: StyledText) -> StyledText {
    var line = self
    for piece in other.pieces { line.append(piece.text, piece.style) }
    return line
  }

  /// The line with another one aligned to the right; if they do not fit, this line is truncated
  /// first.
  func with(_ right: StyledText, at width: Int) -> StyledText {
    let room = width - DisplayWidth.of(right.plain) - 2
    let left = truncated(to: max(room, min(width, 10)))
    let space = max(2, width - DisplayWidth.of(left.plain) - DisplayWidth.of(right.plain))
    return left.with(StyledText(String(repeating: " ", count: space))).with(right)
      .truncated(to: width)
  }
}
