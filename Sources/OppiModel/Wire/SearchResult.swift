// SPDX-License-Identifier: MIT

/// A session that contains the searched text.
package struct SearchResult: Sendable, Equatable {
  package struct Piece: Sendable, Equatable {
    package var text: String
    /// Whether the piece matches the searched text.
    package var isMatch: Bool
  }

  package var session: Session
  /// The text around the match, on one line and safe to show.
  package var snippet: [Piece]
  /// The relevance; lower is better.
  package var rank: Double

  /// Reads the server's object; `nil` if it has no session.
  package init?(json: JSONValue) {
    guard let session = Session(json: json["session"]) else { return nil }
    self.session = session
    rank = json["rank"].double ?? 0
    snippet = Self.pieces(of: (json["snippet"].text(.sentence) ?? "").head(bytes: 4096))
  }

  /// Splits the text at the server's marks `<b>` and `</b>`.
  private static func pieces(of text: String) -> [Piece] {
    var pieces: [Piece] = []
    for (index, part) in text.split(separator: "<b>", omittingEmptySubsequences: false).enumerated()
    {
      let halves = part.split(separator: "</b>", maxSplits: 1, omittingEmptySubsequences: false)
      let isMatch = index > 0 && halves.count == 2
      for (place, half) in halves.enumerated() {
        let piece = Piece(text: String(half).safePiece(), isMatch: isMatch && place == 0)
        if !piece.text.isEmpty { pieces.append(piece) }
      }
    }
    return pieces
  }
}

extension String {
  /// A piece of a line, keeping one space at each end.
  fileprivate func safePiece() -> String {
    let line = safeLine()
    guard !line.isEmpty else { return contains(where: \.isWhitespace) ? " " : "" }
    return (first?.isWhitespace == true ? " " : "") + line + (last?.isWhitespace == true ? " " : "")
  }
}
