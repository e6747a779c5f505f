// SPDX-License-Identifier: MIT

import OppiText
import TestSupport
import Testing

struct RevealedTextTests {
  @Test("a text keeps its lines and its words")
  func lines() {
    let text = RevealedText("cd /tmp &&\n\tsudo bash  -c 'x'\n")
    #expect(text.plain == ["cd /tmp &&", "    sudo bash  -c 'x'", ""])
    #expect(text.line == #"cd /tmp &&\n    sudo bash  -c 'x'\n"#)
    #expect(text.escapeCount == 0)
  }

  @Test(
    "control, invisible and ambiguous characters are escaped",
    arguments: [
      ("a\u{202E}b", #"a\u{202E}b"#), ("\u{1B}[2Jls", #"\u{1B}[2Jls"#), ("a\rb", #"a\rb"#),
      ("a\u{200B}b", #"a\u{200B}b"#), ("a\u{A0}b", #"a\u{A0}b"#), ("\u{2800}", #"\u{2800}"#),
      ("a\u{85}b", #"a\u{85}b"#), ("a\u{2028}b", #"a\u{2028}b"#), ("\u{0}", #"\u{0}"#),
      ("a\u{200D}b", #"a\u{200D}b"#), ("\u{301}a", #"\u{301}a"#), ("\u{E0041}", #"\u{E0041}"#),
    ]
  )
  func escapes(text: String, shown: String) {
    let revealed = RevealedText(text)
    #expect(revealed.line == shown)
    #expect(revealed.escapeCount == 1)
    #expect(revealed.line.unicodeScalars.allSatisfy { $0.isPrintable })
  }

  @Test("a selector is not hidden after each character that takes one, and is after any other")
  func selectors() {
    #expect(EmojiData.selectable.count == 371)
    let all = (0...0x10FFFF).compactMap { UInt32($0) }.compactMap(Unicode.Scalar.init)
    #expect(Set(all.filter(\.takesSelector)) == EmojiData.selectable)
    for scalar in all where scalar.properties.isEmoji || scalar.value < 0x3000 {
      let count = EmojiData.selectable.contains(scalar) ? 0 : 1
      for selector in ["\u{FE0E}", "\u{FE0F}"] {
        let alone = RevealedText(String(scalar)).escapeCount
        let text = RevealedText(String(scalar) + selector)
        #expect(text.escapeCount == alone + count, "\(scalar.value)")
        #expect((text.line == String(scalar) + selector) == (alone + count == 0))
      }
    }
  }

  @Test("the emoji of the standard that are joined have nothing hidden, also with skin tones")
  func joined() {
    #expect(EmojiData.joined.count == 234)
    for emoji in EmojiData.joined {
      #expect(RevealedText("a\(emoji)b").line == "a\(emoji)b")
      var scalars = Array(emoji.unicodeScalars)
      if scalars[1] == "\u{200D}" { scalars.insert("\u{1F3FD}", at: 1) }
      let toned = String(String.UnicodeScalarView(scalars))
      #expect(RevealedText(toned).escapeCount == 0, "\(toned)")
    }
    #expect(RevealedText("1\u{FE0F}\u{20E3} 🏳\u{FE0F}\u{200D}🌈").escapeCount == 0)
  }

  @Test(
    "a selector or joiner elsewhere is hidden",
    arguments: [
      ("\u{FE0F}", 1), ("a\u{FE0F}", 1), ("⚠\u{FE0F}\u{FE0F}", 1), ("⚠\u{FE0F}\u{FE0E}", 1),
      ("⚠ \u{FE0F}", 1), ("⚠\n\u{FE0F}", 1), ("⚠\t\u{FE0F}", 1), ("⚠\u{301}\u{FE0F}", 1),
      ("⚠\u{FE00}", 1), ("⚠\u{E0100}", 1), ("⚠\u{200B}\u{FE0F}", 2), ("🚀\u{FE0F}", 1),
      ("a\u{200D}👩", 1), ("👩\u{200D}", 1), ("👩\u{200D}a", 1), ("👩\u{200D}\n💻", 1),
      ("👩\u{200D}\u{200D}💻", 2), ("👩\u{200C}💻", 1), ("👩\u{200D}\u{1F3FD}", 1),
      ("1\u{FE0F}\u{200D}💻", 1), ("🇩\u{200D}🇪", 1), ("⚠\u{FE0E}\u{200D}💻", 1),
      ("م\u{200D}م", 1), ("🏴\u{E0067}\u{E007F}", 2), ("👩 \u{200D}💻", 1),
    ]
  )
  func elsewhere(text: String, count: Int) {
    #expect(RevealedText(text).escapeCount == count)
  }

  @Test("combining marks are shown, and excess marks are escaped")
  func marks() {
    #expect(RevealedText("Việt nam\u{302}").escapeCount == 0)
    let many = RevealedText("a" + String(repeating: "\u{301}", count: 10))
    #expect(many.escapeCount == 2)
  }

  @Test("different texts are shown differently, except for tabs and spaces", arguments: 0..<200)
  func distinct(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let alphabet: [Unicode.Scalar] = [
      "a", "b", "\u{202E}", "\u{200B}", "\n", "\r", "\u{1B}", "\u{301}", "\u{200D}", "é",
      "⚠", "\u{FE0F}", "👩",
    ]
    func text() -> String {
      String(
        String.UnicodeScalarView(
          (0..<4).compactMap { _ in alphabet.randomElement(using: &generator) }
        )
      )
    }
    let (first, second) = (text(), text())
    let isSame = Array(first.unicodeScalars) == Array(second.unicodeScalars)
    let isAlike =
      RevealedText(first).plain.map { Array($0.unicodeScalars) }
      == RevealedText(second).plain.map { Array($0.unicodeScalars) }
    #expect(isSame == isAlike)
  }
}
