// SPDX-License-Identifier: MIT

import OppiText
import TestSupport
import Testing

@Suite struct SafeTextTests {
  @Test(
    "terminal control sequences are removed",
    arguments: [
      ("plain", "plain"), ("\u{1B}[31mred\u{1B}[0m", "red"), ("\u{1B}]0;title\u{07}x", "x"),
      ("\u{1B}]8;;http://a\u{1B}\\link\u{1B}]8;;\u{1B}\\", "link"), ("\u{9B}31mred", "red"),
      ("\u{1B}P$q\u{1B}\\x", "x"), ("\u{9D}52;c;eA==\u{9C}x", "x"), ("a\u{08}b\u{7F}", "ab"),
      ("a\u{0}b", "ab"), ("\u{202E}abc\u{2066}", "abc"), ("a\u{200B}\u{FEFF}\u{AD}b", "ab"),
      ("\u{E0041}tag", "tag"), ("é 😀 漢", "é 😀 漢"), ("\u{1B}(0x", "x"), ("\u{1B}", ""),
      ("two\nlines\there", "two lines here"), ("  a \r\n b  ", "a b"),
      ("\u{1B}]0;never\nended", "ended"), ("\u{1B}]0;never\rended", "ended"), ("a\rb", "a b"),
      ("a\u{3164}\u{115F}\u{2800}b", "ab"),
      ("a\u{34F}b\u{FE0F}c\u{E0100}", "abc"), ("1\u{FE0F}", "1"),
      // Line and paragraph separators, private-use characters and unassigned characters.
      ("a\u{2028}b\u{2029}c", "abc"), ("a\u{E000}b\u{F0000}\u{10FFFD}", "ab"),
      ("a\u{378}b\u{FFFF}", "ab"),
    ]
  )
  func safeLine(text: String, line: String) {
    #expect(text.safeLine() == line)
  }

  @Test(
    "joiners that join are kept",
    arguments: [
      "👩‍👩‍👧‍👦", "👩🏽‍🚀", "❤️‍🔥", "🏳️‍🌈", "می‌خواهم", "क्‍ष", "👍🏽", "🇩🇪",
    ]
  )
  func joined(text: String) {
    #expect(text.safeLine() == text)
    #expect(text.safeBlock() == text)
  }

  @Test(
    "joiners that join nothing are removed",
    arguments: [
      ("a\u{200D}b", "ab"), ("a\u{200C}b", "ab"), ("\u{200D}a", "a"), ("😀\u{200D}", "😀"),
      ("😀\u{200D}a", "😀a"), ("😀\u{200D}\u{200D}😀", "😀\u{200D}😀"), ("م\u{200C}a", "مa"),
      ("م\u{200C}", "م"), ("😀\u{200C}😀", "😀😀"), ("a\u{FE0F}", "a"),
    ]
  )
  func unjoined(text: String, line: String) {
    #expect(Array(text.safeLine().unicodeScalars) == Array(line.unicodeScalars))
  }

  @Test("excess combining marks are removed")
  func marks() {
    let name = "a" + String(repeating: "\u{301}", count: 300_000) + "b"
    #expect(name.safeLine().utf8.count < 30)
    #expect(name.safeBlock().utf8.count < 30)
    // Vietnamese, Hebrew with vowels and accents, Tibetan.
    for text in ["ệ", "בְּרֵאשִׁ֖ית", "བསྒྲུབས"] { #expect(text.safeLine() == text) }
  }

  @Test("a long line is truncated and marked")
  func cutsLine() {
    #expect("abcdef".safeLine(limit: 4) == "abc…")
    #expect("abcd".safeLine(limit: 4) == "abcd")
  }

  @Test(
    "an endless character is truncated once",
    arguments: [
      "👩\u{200D}", "👍\u{1F3FD}", "\u{903}", "\u{1100}", "\u{915}\u{94D}\u{200D}",
      "🏳\u{FE0F}\u{200D}",
    ]
  )
  func endlessCharacter(piece: String) {
    let text = "a" + String(repeating: piece, count: 100_000)
    for limit in [1, 2, 40, 300] {
      let line = text.safeLine(limit: limit)
      #expect(line.utf8.count <= limit * 32, "\(limit)")
      #expect(line.unicodeScalars.last == "…")
      #expect(Array(line.safeLine(limit: limit).unicodeScalars) == Array(line.unicodeScalars))
    }
    #expect(text.safeLine(limit: .max).unicodeScalars.last != "…")
    let family = "👩\u{200D}👩\u{200D}👧\u{200D}👦"
    #expect(
      String(repeating: family, count: 9).safeLine(limit: 10).utf8.count == 9 * family.utf8.count
    )
  }

  @Test("only the start of a long text is read, and the line is marked as truncated")
  func start() {
    // The start has 4096 bytes: twice 64 characters of 32 bytes.
    let blank = String(repeating: "\u{7}", count: 4091)
    #expect((blank + "abcde").safeLine(limit: 40) == "abcde")
    #expect((blank + "abcdef").safeLine(limit: 40) == "abcde …")
    #expect((blank + "abcdef").safeLine(limit: 6) == "abcde…")
    #expect((blank + "abcdef").safeLine(limit: .max) == "abcdef")
    #expect((blank + "\u{7}abcde").safeBlock(limit: 40) == "abcd…")
    #expect(String(repeating: "\u{7}", count: 5000).safeLine(limit: 40).isEmpty)
  }

  @Test("a block keeps line breaks and tabs, and no other control characters")
  func safeBlock() {
    #expect("a\n\tb\r\n\u{1B}[2Jc\u{85}".safeBlock() == "a\n\tb\nc")
  }

  @Test("no control character remains in any text", arguments: 0..<300)
  func nothingSurvives(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let alphabet: [Unicode.Scalar] = [
      "\u{1B}", "[", "]", "P", "\\", "\u{07}", "\u{9B}", "\u{9D}", "m", "0", ";", "\n", "a",
      "\u{0}",
      "\u{202E}", "\u{7F}", "\u{9C}", "\r",
    ]
    let scalars = (0..<40).compactMap { _ in alphabet.randomElement(using: &generator) }
    let text = String(String.UnicodeScalarView(scalars))
    #expect(text.safeLine().unicodeScalars.allSatisfy { $0.isPrintable })
    #expect(
      text.safeBlock().unicodeScalars.allSatisfy { $0.isPrintable || $0 == "\n" || $0 == "\t" }
    )
  }
}
