// SPDX-License-Identifier: MIT

/// A word such as `--name` or `--name=value` taken apart.
struct LongOption {
  /// The option as it is written, with its hyphens.
  let written: String

  /// What stands behind the first equals sign; nil where there is none.
  let value: String?

  /// The option's name without hyphens.
  var name: Substring { written.dropFirst(2) }

  /// Takes a word apart that begins with two hyphens.
  init(_ word: String) {
    // By bytes: a value may begin with a character that would combine with the equals sign.
    let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
    written = equals.map { String(word[..<$0]) } ?? word
    value = equals.map { String(word[word.utf8.index(after: $0)...]) }
  }
}
