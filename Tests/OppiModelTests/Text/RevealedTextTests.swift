// SPDX-License-Identifier: MIT

import OppiModel
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
      ("👩\u{200D}💻", #"👩\u{200D}💻"#), ("\u{301}a", #"\u{301}a"#), ("\u{E0041}", #"\u{E0041}"#),
    ]
  )
  func escapes(text: String, shown: String) {
    let revealed = RevealedText(text)
    #expect(revealed.line == shown)
    #expect(revealed.escapeCount == 1)
    #expect(revealed.line.unicodeScalars.allSatisfy { $0.isPrintable })
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
