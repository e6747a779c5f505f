// SPDX-License-Identifier: MIT

/// The words of a line as a POSIX shell would split it, with nothing expanded.
package enum ShellWords {
  /// Splits a line at its blanks, which quotation marks and backslashes protect.
  ///
  /// `$`, `*`, `~`, `|` and the like stand for themselves: no shell is to see the words.
  ///
  /// - Parameter line: The line.
  /// - Returns: The words without their quotation marks; `nil` where a mark is left open or the line
  ///   ends with a backslash.
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

  /// A word as it may stand in a shell's line: in single quotes unless every shell takes it as it is.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      byte.isASCIIAlphanumeric || "@%_+:,./-".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}
