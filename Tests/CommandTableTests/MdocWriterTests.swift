// SPDX-License-Identifier: MIT

import Testing

@testable import CommandTable

@Suite("mdoc")
struct MdocWriterTests {
  @Test(
    "text is escaped",
    arguments: [
      (".Sh at the start", "\\&.Sh at the start"),
      ("'tis \"so\"", "\\(aqtis \\(dqso\\(dq"),
      ("a\\fBb `c` ^ ~", "a\\efBb \\(gac\\(ga \\(ha \\(ti"),
      ("use --json or '-q', well-known", "use \\-\\-json or \\(aq\\-q\\(aq, well-known"),
      ("Server → größer 😀", "Server \\[u2192] gr\\[u00F6]\\[u00DF]er \\[u1F600]"),
      ("One. Two! Three? Four", "One.\nTwo!\nThree?\nFour"),
    ]
  )
  func paragraph(text: String, expected: String) {
    var writer = MdocWriter()
    writer.paragraph(text)
    #expect(writer.text == expected + "\n")
  }

  @Test(
    "macro arguments are neither macros nor punctuation",
    arguments: [
      ("Ar", "\\&Ar"), ("How it works", "\\&How it works"), ("a | b .", "a \\&| b \\&."),
      ("AR", "AR"), ("auto|never", "auto|never"), ("a\"b", "a\\(dqb"),
    ]
  )
  func words(text: String, expected: String) {
    #expect(MdocWriter.words(text) == expected)
  }

  @Test("paragraphs are separated, except after headings")
  func paragraphs() {
    var writer = MdocWriter()
    writer.heading("Sh", "A")
    writer.prose(Prose("a\n\nb\n\n  .c -d\n\ne"))
    writer.list([HelpRow("Fl x", "f")])
    writer.list([])
    writer.heading("Ss", "B")
    writer.paragraph("g")
    let expected = """
      .Sh A
      a
      .Pp
      b
      .Bd -literal -offset indent
      \\&.c \\-d
      .Ed
      .Pp
      e
      .Bl -tag -width Ds
      .It Fl x
      f.
      .El
      .Ss B
      g

      """
    #expect(writer.text == expected)
  }
}
