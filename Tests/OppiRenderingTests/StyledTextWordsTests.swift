// SPDX-License-Identifier: MIT

import OppiRendering
import Testing

@Suite("Folding at words")
struct StyledTextWordsTests {
  private static func rows(_ line: StyledText, _ width: Int, indent: Int? = nil) -> [String] {
    line.folded(to: width, indent: indent).map(\.plain)
  }

  @Test("a line that fits is not changed")
  func fits() {
    #expect(Self.rows("a bc", 4) == ["a bc"])
    #expect(Self.rows("", 4) == [""])
    #expect(Self.rows("a bc", 0) == ["a bc"])
  }

  @Test("a line is folded at spaces, and later rows are indented")
  func folds() {
    #expect(Self.rows("one two three", 7) == ["one two", "three"])
    #expect(Self.rows("one two three", 8, indent: 2) == ["one two", "  three"])
    #expect(Self.rows("  hint: one two", 11) == ["  hint: one", "  two"])
    // The word does not fit in one column less.
    #expect(Self.rows("one two three", 6) == ["one", "two", "three"])
  }

  @Test("a word wider than a row is split")
  func longWords() {
    #expect(Self.rows("abcdefghij", 4, indent: 1) == ["abcd", " efg", " hij"])
  }

  @Test("a second column continues below its start, and words keep their styles")
  func columns() {
    let line = StyledText("  /name  ", .code).with(StyledText("Name this session", .dim))
    let rows = line.folded(to: 20)
    #expect(rows.map(\.plain) == ["  /name  Name this", "         session"])
    #expect(rows[0].pieces.map(\.style) == [.code, .dim])
    #expect(rows[1].pieces.last?.text == "session" && rows[1].pieces.last?.style == .dim)
  }
}
