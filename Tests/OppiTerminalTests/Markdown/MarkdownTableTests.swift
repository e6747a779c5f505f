// SPDX-License-Identifier: MIT

import Testing

@testable import OppiTerminal

@Suite struct MarkdownTableTests {
  private func plain(_ text: String, width: Int) -> [String] {
    Markdown.rows(of: text, width: width).map(\.plain)
  }

  private static let table = """
    | Option | Meaning | Default |
    |:--|:--|--:|
    | `color` | whether escape sequences are written | auto |
    | `日本` | 東京は日本の首都です | 12 |
    """

  @Test("a table that fits is aligned, without rules between its rows")
  func aligned() {
    #expect(
      plain(Self.table, width: 80) == [
        "Option  Meaning                               Default",
        "──────  ────────────────────────────────────  ───────",
        "color   whether escape sequences are written     auto",
        "日本    東京は日本の首都です                       12",
      ]
    )
  }

  @Test("a wider table wraps within its cells")
  func wrapped() {
    #expect(
      plain(Self.table, width: 36) == [
        "Option  Meaning              Default",
        "──────  ───────────────────  ───────",
        "color   whether escape          auto",
        "        sequences are",
        "        written",
        "──────  ───────────────────  ───────",
        "日本    東京は日本の首都で        12",
        "        す",
      ]
    )
  }

  @Test("a table with too little room becomes records")
  func records() {
    #expect(
      plain(Self.table, width: 20) == [
        "Option: color", "Meaning: whether", "escape sequences are", "written", "Default: auto",
        "────────────────────", "Option: 日本", "Meaning: 東京は日本", "の首都です", "Default: 12",
      ]
    )
    #expect(plain("abcdefghi|b\n-|-", width: 8) == ["abcdefgh", "i", "b"])
    let empty = plain("Long name one|Second name\n-|-\nx||", width: 12)
    #expect(empty == ["Long name", "one: x", "Second name:"])
  }

  @Test("for a listener, a table of any width becomes records with an empty line between them")
  func spoken() {
    let rows = Markdown.rows(of: "# Options\n\n" + Self.table, width: 80, look: .spoken)
    #expect(
      rows.map(\.plain) == [
        "# Options", "", "Option: `color`", "Meaning: whether escape sequences are written",
        "Default: auto", "", "Option: `日本`", "Meaning: 東京は日本の首都です", "Default: 12",
      ]
    )
  }

  @Test("a row after those that size the columns may fill the width, and keeps its further cells")
  func later() {
    let table = "a|b\n-|-\n" + String(repeating: "x|y\n", count: 100)
    #expect(plain(table + "12345|67890", width: 12).last == "12345  67890")
    #expect(plain(table + "1|2|more", width: 12).suffix(2) == ["1  2", "more"])
  }

  @Test("no row is wider than the terminal, and no cell is lost", arguments: 2...60)
  func fits(width: Int) {
    let text = "a|bb|ccc|dddd\n-|-|-|-\nlorem|ipsum dolor|sit|amet\none||three|four|five"
    let rows = plain(text, width: width)
    #expect(rows.allSatisfy { DisplayWidth.of($0) <= width })
    let letters = rows.joined().filter(\.isLetter)
    for word in ["lorem", "ipsum", "dolor", "amet", "one", "three", "four", "five"] {
      for letter in word { #expect(letters.contains(letter)) }
    }
    if width >= 12 {
      for word in ["lorem", "dolor", "five"] { #expect(rows.contains { $0.contains(word) }) }
    }
  }

  @Test("later rows of a long table use the columns of its first rows, unless they do not fit")
  func long() {
    let body = Array(repeating: "x|y", count: 150) + ["a longer cell|z", "1|2"]
    let text = "a|b\n-|-\n" + body.joined(separator: "\n")
    let rows = plain(text, width: 40)
    #expect(rows[2...151].allSatisfy { $0 == "x  y" })
    #expect(rows[152...] == ["a longer cell  z", "1  2"])
    let narrow = plain(text, width: 12)
    #expect(narrow[152] == "a  z" && narrow.last == "1  2")
    #expect(narrow[152...].joined().filter { $0 != " " } == "azlongercell12")
  }
}
