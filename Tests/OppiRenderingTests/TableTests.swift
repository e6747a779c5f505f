// SPDX-License-Identifier: MIT

import OppiRendering
import Testing

@Suite("Table")
struct TableTests {
  private func table(_ rows: [StyledText]...) -> Table {
    Table(rows)
  }

  @Test("columns are aligned by display width")
  func aligned() {
    let table = table(["a", "name", "x"], ["long", "日本", "y"], ["e\u{301}", "😀", "z"])
    #expect(
      table.aligned(width: 80, theme: .plain) == [
        "a     name  x",
        "long  日本  y",
        "e\u{301}     😀    z",
      ]
    )
  }

  @Test("lines have no trailing blanks")
  func trailing() {
    let table = table(["a", "b", ""], ["longer", "", ""], ["", "", "c"], ["", "", ""])
    #expect(
      table.aligned(width: 80, theme: .plain) == ["a       b", "longer", "           c", ""]
    )
  }

  @Test("an empty column takes no room")
  func emptyColumn() {
    let table = table(["a", "", "b"], ["c", "", "d"])
    #expect(table.aligned(width: 80, theme: .plain) == ["a  b", "c  d"])
  }

  @Test("rows may have different lengths")
  func ragged() {
    let table = table(["a"], ["b", "c"], [])
    #expect(table.aligned(width: 80, theme: .plain) == ["a", "b  c", ""])
    #expect(table.tabSeparated() == ["a", "b\tc", ""])
  }

  @Test("no line is wider than the width", arguments: 0...20)
  func width(width: Int) {
    let table = table(["日本語", "a word"], ["x", "日本語日本語"])
    for line in table.aligned(width: width, theme: .plain) {
      #expect(DisplayWidth.of(line) <= width)
    }
  }

  @Test("an overlong line is truncated and stays aligned")
  func cut() {
    let table = table(["one", "a long explanation"], ["three", "short"])
    #expect(table.aligned(width: 15, theme: .plain) == ["one    a long …", "three  short"])
  }

  @Test("the widest column is truncated, so an id after a long name stays complete")
  func longName() {
    let table = table(
      ["a name that is far longer than the terminal is wide", "iaOoCYKG", "what it is for"],
      ["short", "CdJR04ap", ""]
    )
    #expect(
      table.aligned(width: 40, theme: .plain) == [
        "a name that is far …  iaOoCYKG  what it…",
        "short                 CdJR04ap",
      ]
    )
    #expect(table.tabSeparated()[0].hasPrefix("a name that is far longer than the terminal"))
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
    let table = table([StyledText("a", .name), "x"], [StyledText("bcd", .name), "y"])
    #expect(
      table.aligned(width: 80, theme: .ansi) == [
        "\u{1B}[1ma\u{1B}[0m    x", "\u{1B}[1mbcd\u{1B}[0m  y",
      ]
    )
  }

  @Test("tab-separated output has complete values in fixed columns")
  func tabSeparated() {
    let table = table(["a", "", "日本語日本語"], [StyledText("b", .error), "c", ""])
    #expect(table.tabSeparated() == ["a\t\t日本語日本語", "b\tc\t"])
  }

  @Test("a table without rows has no lines")
  func empty() {
    #expect(Table([]).aligned(width: 80, theme: .plain) == [])
    #expect(Table([]).tabSeparated() == [])
  }
}
