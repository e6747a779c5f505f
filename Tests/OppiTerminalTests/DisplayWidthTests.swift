// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@Suite("DisplayWidth")
struct DisplayWidthTests {
  @Test(
    "a text has the width that terminals give it",
    arguments: [
      ("", 0), ("abc", 3), ("●✓…▲❤⚠", 6), ("é", 1), ("e\u{301}", 1), ("ñandú", 5),
      // Emoji and East Asian text.
      ("😀", 2), ("⏳", 2), ("한", 2), ("日本語", 6), ("ｱ", 1), ("Ａ", 2), ("「」", 4), ("〈〉", 4),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("䷀", 2), ("🈁", 2), ("𠀀", 2),
      // Terminals advance by scalars, not by grapheme clusters.
      ("❤\u{FE0F}", 2), ("⌚\u{FE0F}", 2), ("❤\u{FE0E}", 1), ("1\u{FE0F}\u{20E3}", 2), ("🇩🇪", 2),
      ("👍🏽", 4), ("👩\u{200D}💻", 4),
      // Invisible characters.
      ("\u{200B}", 0), ("\u{FEFF}", 0), ("\u{202E}", 0), ("\u{7}\u{1B}\n", 0), ("soft\u{AD}ly", 7),
    ]
  )
  func width(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(
    "a prefix fits its width and does not split a grapheme cluster",
    arguments: [
      ("abc", 2, "ab"), ("abc", 3, "abc"), ("abc", 9, "abc"), ("abc", 0, ""), ("日本", 3, "日"),
      ("日本", 1, ""), ("e\u{301}x", 1, "e\u{301}"), ("a👩\u{200D}💻b", 4, "a"), ("", 4, ""),
    ]
  )
  func prefix(text: String, width: Int, kept: String) {
    #expect(DisplayWidth.prefix(of: text, width: width) == kept)
  }
}

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
      ("日本語", 4, ["日本", "語"]), ("", 5, [""]), ("ab ", 2, ["ab"]), ("a  b", 3, ["a ", "b"]),
      // At least one part of a character is in each row.
      ("日a", 1, ["日", "a"]), ("ab", 0, ["a", "b"]), ("", 0, [""]),
      ("👩\u{200D}💻x", 3, ["👩\u{200D}", "💻x"]),
      ("☠\u{FE0F}\u{200D}☠x", 2, ["☠\u{FE0F}\u{200D}", "☠x"]),
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

@Suite("RelativeTime")
struct RelativeTimeTests {
  @Test(
    "an age is shown in its largest unit, rounded down",
    arguments: [
      (-5, "0 s"), (0, "0 s"), (1, "1 s"), (59, "59 s"), (60, "1 min"), (119, "1 min"),
      (3599, "59 min"), (3600, "1 h"), (7199, "1 h"), (86_399, "23 h"), (86_400, "1 d"),
      (864_000, "10 d"),
    ]
  )
  func age(seconds: Int, expected: String) {
    #expect(RelativeTime.age(seconds: seconds) == expected)
  }
}

@Suite struct ElapsedTimeTests {
  @Test(
    "a duration is shown in its two largest units",
    arguments: [
      (Duration.zero, "0 ms"), (.milliseconds(999), "999 ms"), (.seconds(1), "1 s"),
      (.milliseconds(59_999), "59 s"), (.seconds(60), "1 min 0 s"), (.seconds(3599), "59 min 59 s"),
      (.seconds(3600), "1 h 0 min"), (.seconds(90_000), "25 h 0 min"), (.seconds(-5), "0 ms"),
    ]
  )
  func texts(duration: Duration, text: String) {
    #expect(ElapsedTime.text(duration) == text)
  }
}
