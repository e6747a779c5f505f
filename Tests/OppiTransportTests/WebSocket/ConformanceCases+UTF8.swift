// SPDX-License-Identifier: MIT

/// RFC 6455, sections 5.6 and 8.1: valid UTF-8 by RFC 3629.
extension ConformanceCase {
  /// Chapter 6.
  static let utf8: [ConformanceCase] =
    numbered("6.1", valid) { .goesOn(bytes: $0) } + numbered("6.2", invalid) { _ in .fails(1007) }
    + chapter("6.3", atOnce)

  /// Each sequence between ASCII letters, in one frame and byte by byte, and alone.
  private static func numbered(
    _ section: String,
    _ sequences: [(String, [UInt8])],
    _ conduct: ([[UInt8]]) -> Conduct
  ) -> [ConformanceCase] {
    sequences.enumerated().flatMap { index, row -> [ConformanceCase] in
      let (title, bytes) = row
      let text = Array("a".utf8) + bytes + Array("z".utf8)
      let number = "\(section).\(index + 1)"
      return [
        .init("\(number).1", title, [.frame(1, text)], conduct([text])),
        .init(
          "\(number).2",
          "\(title), in fragments",
          Sent.pieces(of: text, size: 1),
          conduct([text])
        ),
        .init("\(number).3", "\(title), alone", [.frame(1, bytes)], conduct([bytes])),
      ]
    }
  }

  /// The boundaries of all ranges are rows of `UTF8ValidatorTests`.
  private static let valid: [(String, [UInt8])] = [
    ("several scripts", Array("Grüße, κόσμε! 世界 🌍".utf8)),
    ("zero", [0]),
    ("U+FEFF, the byte order mark", [0xEF, 0xBB, 0xBF]),
    ("U+FFFE, a noncharacter", [0xEF, 0xBF, 0xBE]),
    ("U+10FFFF", [0xF4, 0x8F, 0xBF, 0xBF]),
  ]

  private static let invalid: [(String, [UInt8])] = [
    ("U+110000", [0xF4, 0x90, 0x80, 0x80]),
    ("a slash in two bytes", [0xC0, 0xAF]),
    ("a pair of surrogates", [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]),
    ("three of four bytes", [0xF0, 0x9F, 0x8C]),
    ("a character within a character", [0xE2, 0xCE, 0xBA, 0x82]),
    ("an extra continuation", [0xCE, 0xBA, 0x80]),
    ("FF", [0xFF]),
  ]

  /// Invalid text is rejected before its remainder arrives.
  private static let atOnce: [Row] = [
    ("an invalid first fragment", [.frame(1, [0x61, 0xFF], isFinal: false)], .fails(1007)),
    (
      "an invalid second fragment",
      [.text("right", isFinal: false), .frame(0, [0xED, 0xA0], isFinal: false)], .fails(1007)
    ),
    (
      "an invalid byte of an incomplete frame",
      [.frame(1, [0x61, 0xC0], length: .announced(1000))], .fails(1007)
    ),
    (
      "a code point beyond the range, invalid at its second byte",
      [.frame(1, [0xF4, 0x90], length: .announced(1000))], .fails(1007)
    ),
    (
      "an invalid text after valid texts",
      [.text("one"), .ping([1]), .frame(1, [0xFE]), .text("two"), .ping([2])],
      .fails(1007, telling: ["one"], pongs: [[1]])
    ),
    (
      "a character that is incomplete after the final fragment",
      [.frame(1, [0xCE], isFinal: false), .frame(0)], .fails(1007)
    ),
  ]
}
