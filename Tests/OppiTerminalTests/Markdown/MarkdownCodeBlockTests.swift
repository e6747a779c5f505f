// SPDX-License-Identifier: MIT

import Testing

@testable import OppiTerminal

/// The blocks of code in a text, as they were written.
@Suite struct MarkdownCodeBlockTests {
  private static let cases: [(text: String, code: [String])] = [
    ("no code", []),
    ("```\n```", []),
    ("a\n\n```swift\nlet x = 1\n\n  y\n```\nb", ["let x = 1\n\n  y"]),
    ("```make\nall:\n\techo hi\n```", ["all:\n\techo hi"]),
    ("1. Run:\n\n   ```sh\n   ls\n\n     pwd\n   ```\n2. x", ["ls\n\n  pwd"]),
    ("- a\n\n\t```\n\tb\n\t```", ["b"]),
    ("> ```\n> a\n>\n> b\n> ```", ["a\n\nb"]),
    ("```\na\n```\n```\nb\n```", ["a", "b"]),
    ("- ```\n  a\n- ```\n  b", ["a", "b"]),
    ("```sh\nls", ["ls"]),
    ("  ```\n    a\n  ```\nend", ["  a"]),
    ("~~~\n```\n~~~", ["```"]),
  ]

  @Test("each block has its lines as they were written", arguments: cases)
  func sources(text: String, code: [String]) {
    for look in [MarkdownLook.styled, .marked] {
      let blocks = Markdown.layout(of: text, width: 80, look: look).code
      #expect(blocks.map(\.source) == code, "\(look)")
    }
  }

  @Test("the rows of a block show its lines, at every width", arguments: cases)
  func rows(text: String, code: [String]) {
    for width in [2, 7, 20, 80] {
      let (rows, blocks) = Markdown.layout(of: text, width: width, look: .marked)
      let same = Markdown.rows(of: text, width: width, look: .marked)
      #expect(rows.map(\.plain) == same.map(\.plain))
      for block in blocks {
        #expect(block.rows.lowerBound >= 0 && block.rows.upperBound <= rows.count, "\(width)")
        let shown = rows[block.rows].map(\.plain).joined().filter { !" ↪>│".contains($0) }
        let written = block.source.filter { !$0.isWhitespace }
        #expect(shown.contains(written), "\(width): \(shown)")
      }
    }
  }

  @Test("a very long line of code is whole")
  func long() {
    let line = String(repeating: "word ", count: 10_000)
    let blocks = Markdown.layout(of: "```\n\(line)\nb\n```", width: 80).code
    #expect(blocks.map(\.source) == ["\(line)\nb"])
  }
}
