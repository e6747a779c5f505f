// SPDX-License-Identifier: MIT

/// Endless values derived from the bytes of an input; zeros follow the last byte.
struct Ingredients {
  private static let edges: [Int64] = [
    0, 1, -1, .max, .min, .max - 1, .min + 1, 1 << 53, 1 << 50, 253_402_300_799_999,
    253_402_300_800_000, -62_135_596_800_001, 1_795_220_505_441, Int64(Int32.max),
  ]
  private static let doubles: [Double] = [
    1e300, -1e300, 9.3e18, 1e19, 0.5, -0.0, 1e-300, 9_007_199_254_740_992, 1e15, 2.5,
  ]
  private static let pieces = [
    "\u{1B}[31m", "\u{1B}]0;", "\u{9B}", "\u{202E}", "\r", "\n", "\t", "\u{7F}", "\u{0}",
    "e\u{301}", "日本語", "👩‍💻", "🇩🇪", "\u{FFFD}", "\u{2028}", "   ", "---", "+++",
    "word and word", "/a/folder/file.swift", "data:image/png;base64,AAAA", "https://x.test/?q=1",
    "Denied by user", "{\"a\":1}", "12", "\u{AD}", "\u{1160}", "ab\ncd\n",
    "@@ -1,9 +1 @@\n-a\n+b\n",
  ]

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isSpent: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func flag() -> Bool { byte() & 1 == 1 }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(byte()) % elements.count]
  }

  /// Mostly a small number or an edge value, sometimes any 64 bits.
  mutating func integer() -> Int64 {
    switch byte() % 4 {
    case 0: Int64(Int8(bitPattern: byte()))
    case 1: Int64(byte()) << 8 | Int64(byte())
    case 2: pick(Self.edges)
    default: (0..<8).reduce(0) { number, _ in number << 8 | Int64(byte()) }
    }
  }

  mutating func double() -> Double { pick(Self.doubles) }

  /// Plain and hostile pieces in a row, sometimes repeated many times.
  mutating func text() -> String {
    let count = Int(byte() % 8)
    let text = (0..<count).map { _ in
      let number = Int(byte())
      return number < 128
        ? String(Unicode.Scalar(UInt8(number))) : Self.pieces[number % Self.pieces.count]
    }.joined()
    return byte() % 16 == 15 ? String(repeating: text, count: 1 + Int(byte())) : text
  }
}
