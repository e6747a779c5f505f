// SPDX-License-Identifier: MIT

/// A text in lower case, searched by bytes: in linear time and regardless of combining marks.
struct LowercasedText {
  private let text: String

  init(_ text: String) {
    self.text = text.lowercased()
  }

  /// Whether any of the words occurs; words must be ASCII.
  func contains(anyOf words: [String]) -> Bool {
    let bytes = text.utf8Span.span
    return words.contains { word in Self.contains(bytes, word.utf8Span.span) }
  }

  private static func contains(_ bytes: Span<UInt8>, _ word: Span<UInt8>) -> Bool {
    guard !word.isEmpty else { return true }
    guard bytes.count >= word.count else { return false }
    let first = word[0]
    for start in 0...(bytes.count - word.count) where bytes[start] == first {
      var length = 1
      while length < word.count, bytes[start + length] == word[length] { length += 1 }
      if length == word.count { return true }
    }
    return false
  }
}
