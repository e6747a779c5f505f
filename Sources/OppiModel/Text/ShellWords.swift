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
