// SPDX-License-Identifier: MIT

import Testing

@testable import CommandTable

@Suite("Prose")
struct ProseTests {
  @Test(
    "blank lines separate paragraphs, and indented lines are kept",
    arguments: [
      ("", []),
      ("\n\n", []),
      ("a\nb", [.paragraph("a b")]),
      ("a\n\n\nb", [.paragraph("a"), .paragraph("b")]),
      ("a\n  b\n    c\nd", [.paragraph("a"), .verbatim(["b", "  c"]), .paragraph("d")]),
      ("  a\n\n  b", [.verbatim(["a", "", "b"])]),
      ("  a\n \nb\nc", [.verbatim(["a"]), .paragraph("b c")]),
    ] as [(String, [Prose.Block])]
  )
  func blocks(text: String, expected: [Prose.Block]) {
    #expect(Prose(text).blocks == expected)
  }

  @Test(
    "lines break between words, and a long word gets its own line",
    arguments: [
      ("", 10, []), ("a b c", 3, ["a b", "c"]), ("a  b", 80, ["a b"]),
      ("aa bbbbbb c", 4, ["aa", "bbbbbb", "c"]), ("abcd", 4, ["abcd"]),
    ]
  )
  func wrap(text: String, width: Int, expected: [String]) {
    #expect(Prose.wrap(text, width: width) == expected)
  }

  @Test("meanings are aligned, and a wide term gets its own line")
  func columns() {
    let rows = [HelpRow("a", "one two three"), HelpRow("bbb", ""), HelpRow("wwwwww", "four")]
    #expect(
      rows.text(width: 14)
        == "  a    one two\n       three\n  bbb\n  wwwwww\n       four"
    )
  }
}
