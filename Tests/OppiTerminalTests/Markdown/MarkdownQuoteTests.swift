// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

/// Untrusted texts in the places of a document.
@Suite struct MarkdownQuoteTests {
  @Test(
    "a code block that is open at the end of a text is closed, at its indent",
    arguments: [
      ("a", nil), ("```\na\n```", nil), ("```\na", "```"), ("  ~~~~ js\n~~~", "  ~~~~"),
      ("``` a`b", nil), ("> ```\n> a", nil), ("```\na\n```\n```", "```"),
    ]
  )
  func whole(text: String, end: String?) {
    #expect(MarkdownQuote.whole(text) == [text] + [end].compactMap(\.self))
  }

  @Test(
    "code is fenced by more backticks than it has, with spaces if one is at an end",
    arguments: [
      ("ls", "`ls`"), ("a`b", "``a`b``"), ("`b", "`` `b ``"), ("a`", "`` a` ``"),
      ("a``", "``` a`` ```"), ("", ""),
    ]
  )
  func code(text: String, code: String) { #expect(MarkdownQuote.code(text) == code) }
}
