// SPDX-License-Identifier: MIT

import Testing

@testable import OppiRendering

/// Texts of a server in the places of a document.
@Suite struct MarkdownQuoteTests {
  @Test(
    "code is fenced by more backticks than it has, with spaces if one is at an end",
    arguments: [
      ("ls", "`ls`"), ("a`b", "``a`b``"), ("`b", "`` `b ``"), ("a`", "`` a` ``"),
      ("a``", "``` a`` ```"), ("", ""),
    ]
  )
  func code(text: String, code: String) { #expect(MarkdownQuote.code(text) == code) }
}
