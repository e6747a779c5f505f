// SPDX-License-Identifier: MIT

/// A word such as `--name` or `--name=value`, split.
struct LongOption {
  /// The option as typed, with its hyphens.
  let written: String

  /// The text after the first equals sign; nil if there is none.
  let value: String?

  var name: Substring { written.dropFirst(2) }

  init(_ word: String) {
    // By bytes: a value may begin with a character that combines with the equals sign.
    let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
    written = equals.map { String(word[..<$0]) } ?? word
    value = equals.map { String(word[word.utf8.index(after: $0)...]) }
  }
}
