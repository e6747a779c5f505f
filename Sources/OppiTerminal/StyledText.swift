// SPDX-License-Identifier: MIT

/// A line of text in pieces with styles.
package struct StyledText: Sendable, Equatable {
  package struct Piece: Sendable, Equatable {
    package var text: String
    package var style: Style
    /// The link that the text opens, if the terminal supports links.
    package var link: Hyperlink?
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
      var kept = piece
      kept.text = DisplayWidth.prefix(of: piece.text, width: room)
      cut.append(kept)
      room -= DisplayWidth.of(kept.text)
      if kept.text.count < piece.text.count { break }
    }
    if width > 0 { cut.append("…", .dim) }
    return cut
  }

  /// The line without spaces at its end.
  var trimmed: StyledText {
    var line = self
    while var last = line.pieces.popLast() {
      guard let end = last.text.lastIndex(where: { $0 != " " }) else { continue }
      last.text = String(last.text[...end])
      line.append(last)
      break
    }
    return line
  }

  package func with(_ other: StyledText) -> StyledText {
    var line = self
    line.pieces += other.pieces
    return line
  }

  /// The line with another one aligned to the right; if they do not fit, this line is truncated
  /// first.
  package func with(_ right: StyledText, at width: Int) -> StyledText {
    let room = width - DisplayWidth.of(right.plain) - 2
    let left = truncated(to: max(room, min(width, 10)))
    let space = max(2, width - DisplayWidth.of(left.plain) - DisplayWidth.of(right.plain))
    return left.with(StyledText(String(repeating: " ", count: space))).with(right)
      .truncated(to: width)
  }

  /// Returns the line cut into rows exactly at the width, not at spaces; at least one row.
  ///
  /// Nothing is dropped: a character that is too wide is divided into parts of at most two columns.
  /// `first` is the prefix of the first row; `rest` is that of the others and marks a continuation.
  /// Rows exceed `width` only if the prefixes leave less than two columns.
  package func cut(
    to width: Int,
    first: StyledText = StyledText(),
    rest: StyledText,
    _ measure: DisplayWidth.Measure = .usual
  ) -> [StyledText] {
    let roomOfRest = max(1, width - DisplayWidth.of(rest.plain, measure))
    var room = max(1, width - DisplayWidth.of(first.plain, measure))
    let leastRoom = min(room, roomOfRest)
    var rows = [first]
    var used = 0
    for piece in pieces {
      for part in piece.text.parts(within: leastRoom, measure) {
        let part = String(part)
        let columns = DisplayWidth.of(part, measure)
        if used + columns > room, used > 0 {
          rows.append(rest)
          room = roomOfRest
          used = 0
        }
        rows[rows.count - 1].append(joining: part, piece.style, link: piece.link)
        used += columns
      }
    }
    return rows
  }
}

extension StyledText: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self.init(value) }
}

extension StyledText {
  /// Returns the line wrapped at spaces, and within words wider than a row; at least one row.
  ///
  /// Only the spaces between rows are dropped. All rows except the first are indented by `indent`
  /// columns, by default ``hangingIndent``.
  package func folded(
    to width: Int,
    indent: Int? = nil,
    _ measure: DisplayWidth.Measure = .usual
  ) -> [StyledText] {
    let plain = plain
    guard width > 0, DisplayWidth.of(plain, measure) > width else { return [self] }
    // Leaves room for a wide character.
    let indent = min(indent ?? hangingIndent, (width - 1) / 2)
    let margin = StyledText(String(repeating: " ", count: indent))
    let offset = { plain.utf8.distance(from: plain.startIndex, to: $0) }
    let rows = TextBlock.rows(of: plain, first: width, rest: width - indent, measure).map { row in
      part(offset(row.lowerBound)..<offset(row.upperBound))
    }
    return rows.prefix(1) + rows.dropFirst().map(margin.with)
  }

  /// Returns the line wrapped at spaces, in at most `limit` rows; at least one row.
  ///
  /// If they are not enough, the first piece is shortened, so that the others stay; after that the
  /// last row is cut. `…` marks both.
  package func folded(to width: Int, rows limit: Int, indent: Int = 0) -> [StyledText] {
    var rows = folded(to: width, indent: indent)
    guard rows.count > limit, let first = pieces.first else { return rows }
    let rest = pieces.dropFirst()
    var room = limit * width - rest.reduce(0) { $0 + DisplayWidth.of($1.text) }
    while rows.count > limit, room > width / 2, !rest.isEmpty {
      var line = StyledText(first.text, first.style).truncated(to: room)
      for piece in rest { line.append(piece) }
      rows = line.folded(to: width, indent: indent)
      room -= 1
    }
    guard rows.count > limit, limit > 0 else { return rows }
    let last = rows[limit - 1].with(StyledText(" …", .dim)).truncated(to: width)
    return rows.prefix(limit - 1) + [last]
  }

  /// The column where the text begins.
  ///
  /// It follows a first piece that ends with two spaces, else the leading spaces.
  private var hangingIndent: Int {
    if pieces.count > 1, let first = pieces.first, first.text.hasSuffix("  ") {
      return DisplayWidth.of(first.text)
    }
    return plain.prefix { $0 == " " }.count
  }

  /// The part of the line in a range of UTF-8 offsets.
  private func part(_ range: Range<Int>) -> StyledText {
    var (line, start) = (StyledText(), 0)
    for piece in pieces {
      let bytes = piece.text.utf8
      let kept = (range.lowerBound - start..<range.upperBound - start).clamped(to: 0..<bytes.count)
      let text = bytes.dropFirst(kept.lowerBound).prefix(kept.count)
      line.append(Piece(text: String(Substring(text)), style: piece.style, link: piece.link))
      start += bytes.count
    }
    return line
  }
}
