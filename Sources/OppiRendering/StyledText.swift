// SPDX-License-Identifier: MIT

/// A line of text in pieces with styles.
package struct StyledText: Sendable, Equatable {
  package struct Piece: Sendable, Equatable {
    package var text: String
    package var style: Style
    /// The link that the text opens, if the terminal supports links.
    package var link: Hyperlink?

    package init(text: String, style: Style, link: Hyperlink? = nil) {
      (self.text, self.style, self.link) = (text, style, link)
    }
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

  package mutating func append(_ piece: Piece) {
    if !piece.text.isEmpty { pieces.append(piece) }
  }

  /// Appends to the last piece if it has the same style and link.
  mutating func append(joining text: String, _ style: Style, link: Hyperlink? = nil) {
    if let last = pieces.last, last.style == style, last.link == link {
      pieces[pieces.count - 1].text += text
    } else {
      append(Piece(text: text, style: style, link: link))
    }
  }

  /// The line truncated to a width in columns; `…` marks the truncation.
  package func truncated(to width: Int) -> StyledText {
    guard DisplayWidth.of(plain) > width else { return self }
    var cut = StyledText()
    var room = max(0, width - 1)
    for piece in pieces {
      let kept = DisplayWidth.prefix(of: piece.text, width: room)
      cut.append(Piece(text: kept, style: piece.style, link: piece.link))
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
    line.pieces += other.pieces
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
