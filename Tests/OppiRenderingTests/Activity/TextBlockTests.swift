// SPDX-License-Identifier: MIT

import OppiRendering
import Testing

@Suite struct TextBlockTests {
  @Test(
    "a line is shown in its final state",
    arguments: [
      ("plain", "plain"), ("a\tb", "a  b"), ("10%\r20%\r", "20%"),
      ("\u{1B}[31mred\u{1B}[0m", "red"),
      ("end\r", "end"), ("\r", ""), ("  indented", "  indented"),
    ]
  )
  func safe(line: String, shown: String) {
    #expect(TextBlock.safe(line: line) == shown)
  }

  @Test("lines end at line feeds, and trailing blank lines are omitted")
  func lines() {
    #expect(TextBlock.lines(of: "a\r\n\n b\n\n \n") == ["a", "", " b"])
    #expect(TextBlock.lines(of: "").isEmpty)
    #expect(TextBlock.lastLines(of: "a\nb\nc\n", count: 2) == ["b", "c"])
    #expect(TextBlock.lastLines(of: "a", count: 0).isEmpty)
  }

  @Test(
    "rows are folded at spaces, and inside words that are too wide",
    arguments: [
      ("one two three", 7, ["one two", "three"]), ("one two", 7, ["one two"]),
      ("abcdefgh", 3, ["abc", "def", "gh"]), ("a bcdefgh", 3, ["a", "bcd", "efg", "h"]),
      ("日本語", 4, ["日本", "語"]), ("", 5, [""]), ("日", 1, []), ("ab ", 2, ["ab"]), ("ab", 0, []),
      ("", 0, [""]),
      ("  in", 4, ["  in"]), ("wide", .max, ["wide"]),
    ]
  )
  func folded(line: String, width: Int, rows: [String]) {
    #expect(TextBlock.folded(line, width: width) == rows)
  }

  @Test("only the last rows of a long text are folded")
  func lastRows() {
    var text = String(repeating: "word ", count: 1_000_000)
    var rows = TextBlock.lastRows(of: text, count: 5, width: 20)
    #expect(rows.count == 5)
    for _ in 0..<10 {
      text += "x"
      let next = TextBlock.lastRows(of: text, count: 5, width: 20)
      #expect(next.dropLast() == rows.dropLast())
      rows = next
    }
    #expect(TextBlock.lastRows(of: "x", count: 3, width: 0).isEmpty)
  }
}
