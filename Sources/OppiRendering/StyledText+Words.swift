// SPDX-License-Identifier: MIT

import OppiModel

extension StyledText {
  /// Returns the line wrapped at spaces, and within words wider than a row; at least one row.
  ///
  /// All rows except the first are indented by `indent` columns, by default ``hangingIndent``.
  package func folded(to width: Int, indent: Int? = nil) -> [StyledText] {
    let plain = plain
    guard width > 0, DisplayWidth.of(plain) > width else { return [self] }
    let indent = min(indent ?? hangingIndent, width / 2)
    let margin = StyledText(String(repeating: " ", count: indent))
    var cursor = Cursor(self)
    let first = TextBlock.folded(plain, width: width).first ?? ""
    var rows = [cursor.take(first.count)]
    cursor.skipSpaces()
    for row in TextBlock.folded(cursor.rest, width: width - indent) {
      rows.append(margin.with(cursor.take(row.count)))
      cursor.skipSpaces()
    }
    return rows
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

  private struct Cursor {
    private var pieces: ArraySlice<(text: Substring, piece: Piece)>

    init(_ line: StyledText) {
      pieces = line.pieces.map { ($0.text[...], $0) }[...]
    }

    var rest: String { pieces.map(\.text).joined() }

    mutating func take(_ count: Int) -> StyledText {
      var (line, room) = (StyledText(), count)
      while room > 0, let piece = pieces.first {
        let text = piece.text.prefix(room)
        line.append(
          Piece(text: String(text), style: piece.piece.style, link: piece.piece.link)
        )
        room -= text.count
        drop(text.endIndex)
      }
      return line
    }

    mutating func skipSpaces() {
      while let piece = pieces.first {
        let end = piece.text.firstIndex { $0 != " " } ?? piece.text.endIndex
        let isWhole = end == piece.text.endIndex
        drop(end)
        guard isWhole else { return }
      }
    }

    private mutating func drop(_ end: Substring.Index) {
      guard let piece = pieces.first else { return }
      if end == piece.text.endIndex {
        pieces.removeFirst()
      } else {
        pieces[pieces.startIndex].text = piece.text[end...]
      }
    }
  }
}
