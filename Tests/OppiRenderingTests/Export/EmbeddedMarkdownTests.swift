// SPDX-License-Identifier: MIT

import Testing

@testable import OppiRendering

/// An agent's Markdown within a document.
@Suite struct EmbeddedMarkdownTests {
  /// A text and its lines in the document.
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let lines: String
    var testDescription: String { text.debugDescription }

    init(_ text: String, _ lines: String) { (self.text, self.lines) = (text, lines) }
  }

  private func check(_ sample: Case) {
    let lines = EmbeddedMarkdown.lines(of: sample.text).joined(separator: "\n")
    #expect(lines == sample.lines)
  }

  @Test(
    "usual Markdown is unchanged",
    arguments: [
      "Plain *words* and `code`.", "- a\n- b\n\n1. c\n   d", "| a | b |\n|---|---|\n| 1 | 2 |",
      "```swift\nlet x: [Set<Int>] = []\n```", "1. Run:\n   ```\n   ls <file\n   ```",
      "`Vec<T>` of [docs](https://x.y/z) and `Set<T>`", "> quoted\n> ```\n> a < b\n> ```", "---",
      "````\n```\n<b>\n````",
      "a\n\n---\n\nb", "#tag and #5", "| `a<b` | c |\n|---|---|",
    ]
  )
  func unchanged(text: String) { check(Case(text, text)) }

  @Test(
    "headings are lowered by two levels, in lists and quotes too",
    arguments: [
      Case("# a", "### a"), Case("##### a ##", "###### a ##"), Case("a\n===", "### a"),
      Case("a\n---", "#### a"), Case("- # a", "- ### a"), Case("> # a", "> ### a"),
      Case("1. > ## a", "1. > #### a"), Case("#", "###"), Case("- a\n===", "- a\n\\==="),
      Case("> a\n---", "> a\n\n---"), Case("-\t# a", "-   ### a"),
      Case("> a\n===\t", "> a\n\\===\t"),
      Case("```\n# a\nb\n===\n```", "```\n# a\nb\n===\n```"),
    ]
  )
  func headings(sample: Case) { check(sample) }

  @Test(
    "HTML is text, except in code, where it is text anyway",
    arguments: [
      Case("<b>a</b>", "&lt;b>a&lt;/b>"), Case("</details>", "&lt;/details>"),
      Case(#"\<b>"#, "&lt;b>"), Case(#"\\<b>"#, #"\\&lt;b>"#), Case("    <b>", "    &lt;b>"),
      Case("a ` <b>\nc ` <b>", "a \\` &lt;b>\nc \\` &lt;b>"), Case("``<b>`", "\\`\\`&lt;b>\\`"),
      Case(#"\`<b>`"#, #"\`&lt;b>\`"#), Case("<!-- a", "&lt;!-- a"),
    ]
  )
  func html(sample: Case) { check(sample) }

  @Test(
    "HTML is escaped where backticks may not be code",
    arguments: [
      Case("a|b\n-|-\n`<b>|`", "a|b\n-|-\n`&lt;b>|`"),
      Case("http://x.y`<b>`", "http://x.y\\`&lt;b>\\`"),
      Case("[a](`) <b> `", "[a](`) &lt;b> `"), Case("[a](\n`) <b> `", "[a](\n`) &lt;b> `"),
      Case(#"[a](x "`") <b> `"#, #"[a](x "`") &lt;b> `"#),
    ]
  )
  func doubtfulCode(sample: Case) { check(sample) }

  @Test(
    "code blocks end within the text, and no line leaves the list item of its block",
    arguments: [
      Case("```\na", "```\na\n```"), Case("~~~ js {x}\n```\n~~~", "````js\n```\n````"),
      Case("1. a\n   ```\n<b>\n   ```", "1. a\n   ```\n   <b>\n   ```"),
      Case("- ```\n  a\n  ```\nb", "- ```\n  a\n  ```\nb"),
      Case("> ```\n> a\nb", "> ```\n> a\n> ```\nb"),
      Case("   - a\n     ```\n     <b>\n     ```", "   - a\n     ```\n     <b>\n     ```"),
      Case("1. a\n    ```\n    <b>", "1. a\n    ```\n    <b>\n    ```"),
      Case("1. a\n\nb\n    ```\n    # c", "1. a\n\nb\n    \\`\\`\\`\n    ### c"),
      Case("``` a`\n<b>", "\\`\\`\\` a\\`\n&lt;b>"), Case("a\n2. ~~~\n<b>", "a\n2. \\~~~\n&lt;b>"),
    ]
  )
  func blocks(sample: Case) { check(sample) }

  @Test(
    "commands to a forge and footnotes are text",
    arguments: [Case("/close", "\\/close"), Case("[^1]: # a", "\\[^1]: # a")]
  )
  func commands(sample: Case) { check(sample) }

  @Test("control characters are removed")
  func controls() {
    check(Case("a\u{1B}[31mb\u{202E}c\r\nd", "abc\nd"))
  }

  @Test("a long line of backticks takes linear time")
  func long() {
    let runs = (1...1500).map { String(repeating: "`", count: $0) }.joined(separator: " ")
    let lines = EmbeddedMarkdown.lines(of: runs)
    #expect(lines.count == 1 && !lines[0].contains(" `"))
  }
}
