// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@Suite("Table")
struct TableTests {
  @Test(
    "cells are aligned in columns",
    arguments: [
      (
        "columns are aligned by display width",
        [["a", "name", "x"], ["long", "日本", "y"], ["e\u{301}", "😀", "z"]], 80,
        ["a     name  x", "long  日本  y", "e\u{301}     😀    z"]
      ),
      (
        "lines have no trailing blanks",
        [["a", "b", ""], ["longer", "", ""], ["", "", "c"], ["", "", ""]], 80,
        ["a       b", "longer", "           c", ""]
      ),
      ("an empty column takes no room", [["a", "", "b"], ["c", "", "d"]], 80, ["a  b", "c  d"]),
      ("rows may have different lengths", [["a"], ["b", "c"], []], 80, ["a", "b  c", ""]),
      (
        "an overlong line is truncated and stays aligned",
        [["one", "a long explanation"], ["three", "short"]], 15,
        ["one    a long …", "three  short"]
      ),
      (
        "the widest column is truncated, so an id after a long name stays complete",
        [
          ["a name that is far longer than the terminal is wide", "iaOoCYKG", "what it is for"],
          ["short", "CdJR04ap", ""],
        ], 40, ["a name that is far …  iaOoCYKG  what it…", "short                 CdJR04ap"]
      ), ("a table without rows has no lines", [], 80, []),
    ] as [(String, [[StyledText]], Int, [String])]
  )
  func aligned(rule: String, rows: [[StyledText]], width: Int, lines: [String]) {
    #expect(Table(rows).aligned(width: width, theme: .plain) == lines, "\(rule)")
  }

  @Test("no line is wider than the width", arguments: 0...20)
  func width(width: Int) {
    let table = Table([["日本語", "a word"], ["x", "日本語日本語"]])
    for line in table.aligned(width: width, theme: .plain) {
      #expect(DisplayWidth.of(line) <= width)
    }
  }

  @Test("headers are above the columns that are not empty, and not in a pipe")
  func headers() {
    let rows = [["a", "", "one two three"], ["bc", "", "x"]]
    let table = Table(plain: rows, headers: ["NAME", "STATE", "TITLE"]) { $0 }
    #expect(
      table.aligned(width: 12, theme: .plain) == ["NAME  TITLE", "a     one t…", "bc    x"]
    )
    #expect(table.tabSeparated() == ["a\t\tone two three", "bc\t\tx"])
    let none = Table(plain: [[String]](), headers: ["NAME"]) { $0 }
    #expect(none.aligned(width: 80, theme: .plain).isEmpty)
  }

  @Test("a table that is not folded has one line for each row")
  func oneLine() {
    let table = Table(
      [[StyledText("a"), StyledText("one two three four five")]],
      roles: [.kept, .decides],
      isFolded: false
    )
    #expect(table.aligned(width: 14, theme: .plain) == ["a  one two th…"])
  }

  @Test("colours take no columns")
  func coloured() {
    let table = Table([[StyledText("a", .name), "x"], [StyledText("bcd", .name), "y"]])
    #expect(
      table.aligned(width: 80, theme: .standard) == [
        "\u{1B}[1ma\u{1B}[0m    x", "\u{1B}[1mbcd\u{1B}[0m  y",
      ]
    )
  }

  @Test("tab-separated output has complete values in fixed columns")
  func tabSeparated() {
    let long = "a name that is far longer than the terminal is wide, and than any other"
    let rows = [["a", "", "日本語日本語"], [StyledText("b", .error), "c", ""], [], [StyledText(long)]]
    let table = Table(rows)
    #expect(table.tabSeparated() == ["a\t\t日本語日本語", "b\tc\t", "", long])
    #expect(Table([]).tabSeparated() == [])
  }
}

/// Columns of tables that do not fit: what decides stays.
@Suite struct TableColumnTests {
  /// A state, an id, a server, an age and a title: 7 + 8 + 6 + 2 + 20 columns, with gaps 51.
  private static let roles: [TableColumn] = [.kept, .detail(2), .context, .detail(1), .decides]
  private static let row: [StyledText] = [
    "waiting", "CdJR04ap", "studio", "2m", "Fix the flaky test 1",
  ]
  private static let whole = "waiting  CdJR04ap  studio  2m  Fix the flaky test 1"

  private static func lines(_ rows: [[StyledText]] = [row], width: Int) -> [String] {
    Table(rows, roles: roles).aligned(width: width, theme: .plain)
  }

  @Test("a row that fits exactly has all columns")
  func exact() {
    #expect(DisplayWidth.of(Self.whole) == 51)
    #expect(Self.lines(width: 51) == [Self.whole])
    #expect(Self.lines(width: 200) == [Self.whole])
  }

  @Test("with one column less the first detail is dropped, and then the next one")
  func details() {
    #expect(Self.lines(width: 50) == ["waiting  CdJR04ap  studio  Fix the flaky test 1"])
    #expect(Self.lines(width: 47) == ["waiting  CdJR04ap  studio  Fix the flaky test 1"])
    #expect(Self.lines(width: 46) == ["waiting  studio  Fix the flaky test 1"])
    #expect(Self.lines(width: 37) == ["waiting  studio  Fix the flaky test 1"])
  }

  @Test("context is dropped when all details are, before a title is folded")
  func context() {
    #expect(Self.lines(width: 36) == ["waiting  Fix the flaky test 1"])
    #expect(Self.lines(width: 29) == ["waiting  Fix the flaky test 1"])
    #expect(Self.lines(width: 28) == ["waiting  Fix the flaky test", "         1"])
    #expect(Self.lines(width: 20) == ["waiting  Fix the", "         flaky test", "         1"])
  }

  @Test("a title of any length has all details on a wide terminal, and none at 40 columns")
  func long() {
    let title = String(repeating: "title ", count: 20)
    let row = Array(Self.row.dropLast()) + [StyledText(title)]
    func begins(_ start: String, at width: Int) -> Bool {
      Self.lines([row], width: width).first?.hasPrefix(start) == true
    }
    #expect(begins("waiting  CdJR04ap  studio  2m  title", at: 200))
    // A long title does not need more than 60 columns of a line.
    #expect(begins("waiting  CdJR04ap  studio  2m  title", at: 91))
    #expect(begins("waiting  CdJR04ap  studio  title", at: 90))
    let narrow = Self.lines([row], width: 40)
    #expect(narrow.first?.hasPrefix("waiting  title title") == true)
    #expect(narrow.joined().count { $0 == "e" } >= 16, "\(narrow)")
  }

  @Test("context is shortened before it is dropped")
  func shortened() {
    let row: [StyledText] = [
      "ok", "", "a server with a name", "", "0123456789 0123456789 012345678",
    ]
    #expect(
      Self.lines([row], width: 50) == ["ok  a server wit…  0123456789 0123456789 012345678"]
    )
    #expect(Self.lines([row], width: 45) == ["ok  a serve…  0123456789 0123456789 012345678"])
    #expect(Self.lines([row], width: 44) == ["ok  0123456789 0123456789 012345678"])
  }

  @Test("for a listener, a row is a record of its values with their headers, or a line without")
  func records() {
    let rows: [[StyledText]] = [["S1", "", "fix the test"], ["S2", "5 min", "a title"]]
    let table = Table(rows, headers: ["ID", "AGE", ""])
    #expect(
      table.records().map(\.plain) == [
        "Id: S1", "fix the test", "", "Id: S2", "Age: 5 min", "a title",
      ]
    )
    #expect(Table(rows).records().map(\.plain) == ["S1, fix the test", "S2, 5 min, a title"])
    #expect(Table([], headers: ["ID"]).records().isEmpty)
  }

  @Test("a cell has at most four rows; its first piece gives way to the others")
  func folded() {
    let title = String(repeating: "title ", count: 40)
    let cell = StyledText(title).with(StyledText("  needs approval: git push", .warning))
    let lines = Self.lines([["waiting", "", "", "", cell]], width: 40)
    #expect(lines.count == 4 && lines.joined().contains("…"), "\(lines)")
    let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(words.hasSuffix("needs approval: git push"), "\(lines)")
    // A single piece is cut at its end.
    let cut = Self.lines([["waiting", "", "", "", StyledText(title)]], width: 40)
    #expect(cut.count == 4 && cut.last?.hasSuffix("…") == true, "\(cut)")
  }

  @Test("two columns that decide share the width")
  func shared() {
    let table = Table(
      [["CdJR04ap", "Fix the flaky test in the login", "the test is flaky because of a clock"]],
      roles: [.detail(1), .decides, .decides]
    )
    #expect(
      table.aligned(width: 40, theme: .plain) == [
        "Fix the flaky test   the test is flaky", "in the login         because of a clock",
      ]
    )
  }

  @Test("wide characters are folded by their columns", arguments: 1...60)
  func wide(width: Int) {
    let rows: [[StyledText]] = [
      ["待機", "CdJR04ap", "スタジオ", "2分", "不安定なテストを修正する不安定なテスト"], Self.row,
    ]
    for line in Self.lines(rows, width: width) {
      #expect(DisplayWidth.of(line) <= width, "\(line)")
    }
  }

  @Test("a pipe has all columns")
  func pipe() {
    #expect(
      Table([Self.row], roles: Self.roles).tabSeparated() == [
        "waiting\tCdJR04ap\tstudio\t2m\tFix the flaky test 1"
      ]
    )
  }
}
