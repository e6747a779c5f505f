// SPDX-License-Identifier: MIT

extension ServerMessage {
  /// In bytes of UTF-8: many screens of text, but still fast to process.
  private static let pieceLimit = 64 << 10

  /// The message split into short ones, if its text continues from message to message.
  package var pieces: [ServerMessage] {
    switch kind {
    case .textDelta(let text): split(text, Kind.textDelta)
    case .thinkingDelta(let text): split(text, Kind.thinkingDelta)
    case .toolOutput(let output) where !output.replaces && output.totalBytes == nil:
      split(output.text) { text in
        var piece = output
        piece.text = text
        return .toolOutput(piece)
      }
    default: [self]
    }
  }

  private func split(_ text: String, _ kind: (String) -> Kind) -> [ServerMessage] {
    guard text.utf8.count > Self.pieceLimit else { return [self] }
    var pieces: [ServerMessage] = []
    var rest = text[...]
    while !rest.isEmpty {
      let head = rest.head(bytes: Self.pieceLimit)
      pieces.append(ServerMessage(kind(head), sessionID: sessionID, sequence: sequence))
      rest = rest[rest.utf8.index(rest.startIndex, offsetBy: head.utf8.count)...]
    }
    return pieces
  }
}
