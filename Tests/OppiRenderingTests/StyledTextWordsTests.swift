// SPDX-License-Identifier: MIT

import OppiRendering
import Testing

@Suite("Folding at words")
struct StyledTextWordsTests {
  private static func rows(_ line: StyledText, _ width: Int, indent: Int? = nil) -> [String] {
    line.folded(to: width, indent: indent).map(\.plain)
  }

  @Test("a line that fits stays as it is")
  func fits() {
    #expect(Self.rows("a bc", 4) == ["a bc"])
    #expect(Self.rows("", 4) == [""])
    #expect(Self.rows("a bc", 0) == ["a bc"])
  }

  @Test("a line is folded at spaces, and rows but the first are indented")
  func folds() {
    #expect(Self.rows("one two three", 7) == ["one two", "three"])
    #expect(Self.rows("one two three", 8, indent: 2) == ["one two", "  three"])
    #expect(Self.rows("  hint: one two", 11) == ["  hint: one", "  two"])
    // One column less takes the word away.
    #expect(Self.rows("one two three", 6) == ["one", "two", "three"])
  }

  @Test("a word that is wider than a row is cut")
  func longWords() {
    #expect(Self.rows("abcdefghij", 4, indent: 1) == ["abcd", " efg", " hij"])
  }

  @Test("a second column goes on below its start, and styles stay with their words")
  func columns() {
    let line = StyledText("  /name  ", .code).with(StyledText("Name this session", .dim))
    let rows = line.folded(to: 20)
    #expect(rows.map(\.plain) == ["  /name  Name this", "         session"])
    #expect(rows[0].pieces.map(\.style) == [.code, .dim])
    #expect(rows[1].pieces.last?.text == "session" && rows[1].pieces.last?.style == .dim)
  }
}
