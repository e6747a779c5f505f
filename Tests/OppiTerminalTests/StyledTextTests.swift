// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@Suite("StyledText")
struct StyledTextTests {
  private static let line: StyledText = {
    var line = StyledText("Home", .name)
    line.append(" ")
    line.append("日本語", .dim)
    return line
  }()

  @Test("pieces keep their order and styles, and empty pieces are omitted")
  func pieces() {
    var line = StyledText("", .heading)
    #expect(line.isEmpty)
    line.append("a", .error)
    line.append("", .warning)
    line.append("b")
    #expect(line.pieces.map(\.text) == ["a", "b"])
    #expect(line.pieces.map(\.style) == [.error, .plain])
    #expect(line.plain == "ab")
    #expect(!line.isEmpty)
  }

  @Test(
    "an overlong line is truncated at a whole character and marked",
    arguments: [
      (11, "Home 日本語"), (10, "Home 日本…"), (9, "Home 日…"), (8, "Home 日…"), (7, "Home …"),
      (6, "Home …"), (5, "Home…"), (2, "H…"), (1, "…"), (0, ""), (-3, ""),
    ]
  )
  func truncation(width: Int, expected: String) {
    let cut = Self.line.truncated(to: width)
    #expect(cut.plain == expected)
    #expect(DisplayWidth.of(cut.plain) <= max(0, width))
  }

  @Test("a truncated line keeps its styles, and the mark is dim")
  func stylesOfCut() {
    #expect(Self.line.truncated(to: 8).pieces.map(\.style) == [.name, .plain, .dim, .dim])
    #expect(Self.line.truncated(to: 4).pieces.map(\.style) == [.name, .dim])
    #expect(Self.line.truncated(to: 11) == Self.line)
  }

  @Test("a line of wide characters that fits is not changed")
  func fits() {
    let line = StyledText("日本語", .name)
    #expect(line.truncated(to: 6) == line)
  }
}

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
