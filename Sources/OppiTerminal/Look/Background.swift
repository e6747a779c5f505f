// SPDX-License-Identifier: MIT

/// The background of a terminal, which decides between two themes.
package enum Background: Sendable {
  case dark
  case light

  /// Asks for the colour of the background (OSC 11), and then for the attributes of the terminal (DA1).
  ///
  /// Nearly all terminals answer the second question, and all answer in order. So a program knows
  /// that no answer to the first one will come.
  package static let question = Array("\u{1B}]11;?\u{07}\u{1B}[c".utf8)

  private static let start = Array("11;rgb:".utf8)
  /// The length of the longest answer: three parts of four digits.
  static let answerLimit = start.count + 14

  /// Reads the answer to the first question, without the marks of its start and its end; `nil` unless it
  /// has the form of XParseColor, `rgb:RRRR/GGGG/BBBB` with 1 to 4 hexadecimal digits each.
  init?(answer: [UInt8]) {
    guard answer.count <= Self.answerLimit, answer.starts(with: Self.start) else { return nil }
    let words = answer.dropFirst(Self.start.count)
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let parts = words.compactMap(Self.part)
    guard words.count == 3, parts.count == 3 else { return nil }
    // Luma (ITU-R BT.601), in thousandths.
    let luma = zip(parts, [299, 587, 114]).reduce(0) { $0 + $1.0 * $1.1 }
    self = luma < 500 * 0xFFFF ? .dark : .light
  }

  /// The part of a colour, of at most `0xFFFF`, whatever its number of digits.
  private static func part(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...4).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
    guard let value = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
    return value * 0xFFFF / ((1 << (4 * digits.count)) - 1)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    Character(Unicode.Scalar(byte)).isHexDigit
  }

  /// Whether an answer can begin like this; the empty text tells too little.
  static func mayBegin(with bytes: [UInt8]) -> Bool {
    let (start, rest) = (bytes.prefix(Self.start.count), bytes.dropFirst(Self.start.count))
    return !bytes.isEmpty && bytes.count <= answerLimit && Self.start.starts(with: start)
      && rest.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "/") }
  }
}

extension Theme {
  /// The theme for a background, with the same depth and the same replaced appearances.
  package func on(_ background: Background) -> Theme {
    Theme(background == .dark ? .dark : .light, depth: depth, replacing: replaced)
  }
}
