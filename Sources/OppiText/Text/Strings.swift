// SPDX-License-Identifier: MIT

/// Splits a line into words like a POSIX shell, without expansion.
package enum ShellWords {
  /// Splits a line at blanks that are not quoted or escaped; `nil` if a quote is open or the line
  /// ends with a backslash.
  ///
  /// `$`, `*`, `~`, `|` and similar characters are plain text, because no shell runs the words.
  package static func split(_ line: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = line[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case ("\\", "\""?) where !"\\\"$`".contains(rest.first ?? " "):
        word?.append(character)
      case ("\\", nil), ("\\", "\""?):
        guard let escaped = rest.popFirst() else { return nil }
        word = (word ?? "") + String(escaped)
      case (quote, _?):
        quote = nil
      case (_, _?):
        word?.append(character)
      case ("'", _), ("\"", _):
        quote = character
        word = word ?? ""
      case _ where character.isWhitespace:
        if let word { words.append(word) }
        word = nil
      case _:
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil else { return nil }
    return words + (word.map { [$0] } ?? [])
  }

  /// Returns the word for a shell command line, in single quotes if necessary.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      byte.isASCIIAlphanumeric || "@%_+:,./-".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}

/// A text in lower case, searched by bytes: in linear time and regardless of combining marks.
package struct LowercasedText {
  private let text: String

  package init(_ text: String) {
    self.text = text.lowercased()
  }

  /// Whether any of the words occurs; words must be ASCII.
  package func contains(anyOf words: [String]) -> Bool {
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

extension String {
  /// The text followed by another one; a mark such as `: ` between them is only a space if the text
  /// ends with a punctuation mark of its own.
  package func joined(by mark: String, to next: String) -> String {
    last.map { ".?!:;…".contains($0) } == true ? "\(self) \(next)" : "\(self)\(mark)\(next)"
  }
}

extension Substring {
  package func head(bytes limit: Int) -> String {
    guard var end = utf8.index(startIndex, offsetBy: Swift.max(0, limit), limitedBy: endIndex),
      end < endIndex
    else { return String(self) }
    while end > startIndex, utf8[end] & 0b1100_0000 == 0b1000_0000 { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

extension String {
  /// Returns the longest prefix of at most `limit` bytes of UTF-8, cut between scalars.
  package func head(bytes limit: Int) -> String {
    utf8.count > limit ? self[...].head(bytes: limit) : self
  }

  /// Returns the longest suffix of at most `limit` bytes of UTF-8, cut between scalars.
  package func tail(bytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var start = utf8.index(endIndex, offsetBy: -max(0, limit))
    while start < endIndex, isInsideScalar(start) { start = utf8.index(after: start) }
    return String(self[start...])
  }

  /// The number of lines, including a last line without a line feed.
  package var lineCount: Int {
    let bytes = utf8Span.span
    var count = isEmpty || utf8.last == UInt8(ascii: "\n") ? 0 : 1
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") { count += 1 }
    return count
  }

  private func isInsideScalar(_ index: Index) -> Bool {
    utf8[index] & 0b1100_0000 == 0b1000_0000
  }
}

extension Sequence<String> {
  /// The texts as one; see ``Swift/String/joined(by:to:)``.
  package func sentence(by mark: String = "; ") -> String {
    reduce(into: "") { $0 = $0.isEmpty ? $1 : $0.joined(by: mark, to: $1) }
  }
}

extension StringProtocol {
  /// The text without leading and trailing spaces.
  package var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// The text without white space at its ends, line ends included.
  package var stripped: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

extension Int {
  /// The number with a noun that has a regular plural: `1 image`, `2 images`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension UInt8 {
  package var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  package var isASCIILetter: Bool {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self
  }

  package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }
}
