// SPDX-License-Identifier: MIT

import Testing

@testable import OppiTerminal

@Suite struct MarkdownCodeTests {
  private func plain(_ text: String, width: Int = 40) -> [String] {
    Markdown.rows(of: text, width: width).map(\.plain)
  }

  private func styled(_ text: String, _ style: Style) -> [String] {
    Markdown.rows(of: text, width: 80).flatMap(\.pieces).filter { $0.style == style }.map(\.text)
  }

  @Test(
    "a code block is two columns in, without its fences",
    arguments: [
      ("```\nlet a  =  1\n\n\n  b\n```\nafter", ["  let a  =  1", "", "", "    b", "after"]),
      ("~~~\n```\n~~~\ntext\n\n    indented", ["  ```", "text", "", "  indented"]),
      ("- a\n  ```\n  x\n  ```", ["• a", "    x"]),
      ("> ```\n> x\n> ```", ["│   x"]),
      ("```\nnever closed\n# no heading", ["  never closed", "  # no heading"]),
      ("````\n```swift\nx\n```\n````", ["  ```swift", "  x", "  ```"]),
      ("```swift\n```\n~~~\n~~~", []),
    ]
  )
  func blocks(text: String, rows: [String]) { #expect(plain(text) == rows) }

  @Test("nothing but spaces is at the left of code, also in an item that begins with it")
  func item() {
    #expect(plain("- ```\n  x\n  ```\n- y") == ["•", "    x", "• y"])
    #expect(plain("1. y\n-     x") == ["1. y", "•", "    x"])
  }

  @Test("a code block after another is a block of its own")
  func separate() {
    #expect(plain("```\na\n```\n```\nb\n```") == ["  a", "", "  b"])
    #expect(plain("```\na\n```\n\n```\nb\n```") == ["  a", "", "  b"])
  }

  @Test("code is cut only where it exceeds the width, with a mark in the indent of the next row")
  func long() {
    #expect(
      plain("```\nlet long = \"abcdefgh\"\n```", width: 16)
        == ["  let long = \"ab", "↪ cdefgh\""]
    )
    #expect(plain("```\nabcdef", width: 4) == ["abcd", "ef"])
  }

  // MARK: - The language

  @Test("the language is at the right of the first row")
  func label() {
    let rows = plain("```swift\nlet a = 1\nlet b = 2\n```", width: 24)
    #expect(rows == ["  let a = 1        swift", "  let b = 2"])
    #expect(styled("```Swift\na", .dim) == ["Swift"])
    #expect(plain("- x\n  ```go\n  a", width: 16) == ["• x", "    a         go"])
    #expect(plain("```json\n{}", width: 150).first?.count == MarkdownLayout.proseWidth)
  }

  @Test("the language is left out where it does not fit")
  func narrow() {
    #expect(plain("```swift\nlet a = 1\n```", width: 18) == ["  let a = 1  swift"])
    #expect(plain("```swift\nlet a = 1\n```", width: 17) == ["  let a = 1"])
    #expect(plain("```swift\na\n```", width: 3) == ["a"])
  }

  @Test(
    "no label can become an argument of a command that is copied",
    arguments: ["sh", "console", "powershell"]
  )
  func commands(language: String) {
    #expect(plain("```\(language)\nrm -r build\n```") == ["  rm -r build"])
  }

  @Test(
    "a fence that says more than a known language stays, and so does its end",
    arguments: ["```swift title=\"A.swift\"", "```unheard", "~~~ do not run this", "```{.python}"]
  )
  func info(fence: String) {
    let end = String(fence.prefix(3))
    #expect(plain("\(fence)\nlet a = 1\n\(end)") == [fence, "  let a = 1", end])
  }

  @Test("code has the colours of its language, also after a line that is cut or blank")
  func colours() {
    #expect(styled("```swift\nlet a = 1 // b\n```", .comment) == ["// b"])
    #expect(styled("```swift title\nlet a", .keyword) == ["let"])
    #expect(styled("- x\n  ```c\n  /*\n\n  a */ int\n  ```", .comment) == ["/*", "a */"])
    #expect(styled("```\nlet a = 1\n```", .keyword) == [])
    // Bold for every line would be no emphasis.
    #expect(styled("```\nx\n```", .code) == [])
  }

  @Test("streamed code keeps its colours and its label, wherever it is split")
  func stream() {
    let text = "a\n\n```swift\n/* b\n\"c\" */ let d = \"e\" // f\nfunc g() {}\n```\n"
    let whole = Markdown.rows(of: text, width: 40)
    for count in 0...text.count {
      var stream = MarkdownStream(width: 40)
      let first = stream.append(String(text.prefix(count)))
      let rows = first + stream.append(String(text.dropFirst(count))) + stream.flush()
      #expect(rows == whole, "split at \(count)")
    }
  }
}
