// SPDX-License-Identifier: MIT

import Testing

@testable import OppiTerminal

@Suite struct PastedTextsTests {
  private var composer = Composer(foldsPastes: true)

  private func rows(width: Int = 40) -> [String] {
    composer.layout(width: width, prompt: "> ", maxRows: 10).lines.map(\.plain)
  }

  @Test("a placeholder is one character with the number of lines, and the text is whole")
  mutating func placeholder() {
    _ = composer.apply(.text("see "))
    _ = composer.apply(.paste("a\r\nb\u{1B}[31m\nc"))
    #expect(rows() == ["> see [pasted: 3 lines]"])
    #expect(composer.text == "see a\nb\nc")
    _ = composer.apply(.left)
    _ = composer.apply(.text("x"))
    #expect(composer.text == "see xa\nb\nc")
    _ = composer.apply(.delete)
    #expect(composer.text == "see x" && !composer.hasFoldedPaste)
  }

  @Test("a single line is inserted, and its line break begins no line", arguments: ["a b", "a\n"])
  mutating func single(text: String) {
    _ = composer.apply(.paste(text))
    #expect(composer.text == text && !composer.hasFoldedPaste)
  }

  @Test("Ctrl-O shows the text, with the cursor in place")
  mutating func unfolded() {
    _ = composer.apply(.paste("a\nb"))
    _ = composer.apply(.text("!"))
    _ = composer.apply(.control("o"))
    #expect(rows() == ["> a", "  b!"])
    _ = composer.apply(.text("?"))
    #expect(composer.text == "a\nb!?")
  }

  @Test("a mark after a placeholder, and a cut with Ctrl-W, keep the text")
  mutating func joined() {
    _ = composer.apply(.paste("a\nb"))
    _ = composer.apply(.text("\u{301}"))
    #expect(composer.text == "a\nb\u{301}" && rows() == ["> [pasted: 2 lines]"])
    _ = composer.apply(.control("w"))
    #expect(composer.isEmpty)
    _ = composer.apply(.control("y"))
    #expect(composer.text == "a\nb\u{301}")
  }

  @Test("history and a narrow window work with placeholders")
  mutating func history() {
    _ = composer.apply(.paste("a\nb"))
    #expect(rows(width: 8).allSatisfy { DisplayWidth.of($0) <= 8 })
    #expect(composer.apply(.enter) == .send("a\nb"))
    _ = composer.apply(.up)
    #expect(composer.text == "a\nb" && !composer.hasFoldedPaste)
  }

  @Test("without folding, pasted lines are shown")
  func plain() {
    var composer = Composer()
    _ = composer.apply(.paste("a\nb"))
    #expect(!composer.hasFoldedPaste && composer.text == "a\nb")
  }
}
