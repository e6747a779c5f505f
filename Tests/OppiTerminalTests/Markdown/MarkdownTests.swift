// SPDX-License-Identifier: MIT

import OppiText
import TestSupport
import Testing

@testable import OppiTerminal

@Suite struct MarkdownTests {
  private func plain(
    _ text: String,
    width: Int = 40,
    look: MarkdownLook = .styled
  ) -> [String] {
    Markdown.rows(of: text, width: width, look: look).map(\.plain)
  }

  private func styled(_ text: String, _ style: Style) -> [String] {
    Markdown.rows(of: text, width: 80).flatMap(\.pieces).filter { $0.style == style }.map(\.text)
  }

  @Test("headings lose their mark, and those of the first level are distinct")
  func headings() {
    #expect(plain("# One\n\n\n###  Three\ntext") == ["One", "", "Three", "text"])
    #expect(styled("# A\n## B `c`\n###### D", .title) == ["A"])
    #expect(styled("# A\n## B `c`\n###### D", .heading) == ["B ", "D"])
  }

  @Test(
    "a sign that makes no heading stays",
    arguments: ["#tag", "#", "##  ", "####### seven", "C #", "\\# escaped"]
  )
  func noHeading(text: String) {
    let shown = text.replacing("\\", with: "")
    #expect(plain(text) == [String(shown.reversed().drop { $0 == " " }.reversed())])
  }

  @Test("a terminal without styles shows the marks of headings and code as written")
  func marked() {
    let text = "# One\n\na `b` **c**\n\n```swift\nlet a = 1\n```\n\n    code"
    #expect(
      plain(text, look: .marked)
        == ["# One", "", "a `b` c", "", "```swift", "let a = 1", "```", "", "    code"]
    )
    #expect(plain("- ```\n  x", look: .marked) == ["• ```", "  x"])
  }

  @Test("lists are indented below their marks and can be nested")
  func lists() {
    let text = """
      - one two three four
      - [x] done
      - [ ] open
        1. first of all things here
        10) tenth
          - deep

          more of ten
      * star
      """
    #expect(
      plain(text, width: 23) == [
        "• one two three four", "[x] done", "[ ] open", "    1. first of all",
        "       things here", "    10) tenth", "        • deep", "", "        more of ten",
        "• star",
      ]
    )
  }

  @Test("a nested list may be indented less than the text of its parent")
  func shallowNesting() {
    #expect(
      plain("1. one\n  - inner\n2. two\n   text of two")
        == ["1. one", "   • inner", "2. two", "   text of two"]
    )
  }

  @Test("inline code loses its backticks, and markup in it has no effect")
  func inlineCode() {
    #expect(plain("use `a*b*` and ``c`d``") == ["use a*b* and c`d"])
    #expect(styled("use `a*b*` and ``c`d``", .code) == ["a*b*", "c`d"])
    #expect(plain("`` `a` `` and ` b` and `  c  `.", width: 80) == ["`a` and  b and  c ."])
    for text in ["a ` alone", "``a` ``` open", "a ` ` b", "``  ``"] {
      #expect(plain(text) == [text])
    }
  }

  @Test("emphasis is shown as a style, and single signs are kept")
  func stress() {
    #expect(plain("**a** *b* _c_ ***d*** **e *f***") == ["a b c d e f"])
    #expect(styled("**a** *b* _c_", .strong) == ["a"])
    #expect(styled("**a** *b* _c_", .emphasis) == ["b", "c"])
    #expect(styled("这是**重点**内容", .strong) == ["重点"])
    #expect(styled("**two\nlines**", .strong).joined() == "twolines")
    for text in [
      "2*3*4", "snake_case_name", "*.swift and foo.*", "src/**/a and **/b", "__init__.py",
      "a * b * c", "**open", "close**", "* and *\nnext*", #"\d and C:\dir"#,
    ] {
      #expect(plain(text).joined(separator: "\n").replacing("•", with: "*") == text)
    }
    #expect(plain(#"\*not\* \_this\_"#) == ["*not* _this_"])
  }

  @Test("the address of a link is always visible")
  func links() {
    #expect(
      plain("see [the page](https://a.b/c_d_(e)).") == ["see the page (https://a.b/c_d_(e))."]
    )
    #expect(
      plain("[https://good.example](https://evil.example)", width: 80)
        == ["https://good.example (https://evil.example)"]
    )
    #expect(plain("[https://a.b](https://a.b)") == ["https://a.b"])
    #expect(plain("[**bold**](x) ![alt](i.png)") == ["bold (x) !alt (i.png)"])
    #expect(styled("[a](b)", .link) == ["b"])
    for text in ["[a] (b)", "[a]()", "[a](b", "a](b)", "[a][1]", "<https://a.b>"] {
      #expect(plain(text) == [text])
    }
  }

  @Test("quotes have a bar before each row")
  func quotes() {
    #expect(
      plain("> one two three four five\n>\n> - a\n> > b\nafter", width: 18)
        == ["│ one two three", "│ four five", "│", "│ • a", "│ │ b", "after"]
    )
    #expect(plain("> > b\n> c") == ["│ │ b", "│ c"])
  }

  @Test("rules have the width of text")
  func rules() {
    #expect(plain("a\n\n---\n* * *", width: 5) == ["a", "", "─────", "─────"])
    #expect(plain("---", width: .max)[0].count == MarkdownLayout.proseWidth)
  }

  @Test("text has at most 100 columns with its margin, and code has those of the terminal")
  func wide() {
    let words = String(repeating: "word ", count: 50)
    for start in ["", "# ", "> ", "- ", "1. > - "] {
      let rows = plain(start + words, width: 150)
      #expect(rows.allSatisfy { $0.count <= 100 } && rows.contains { $0.count >= 95 }, "\(rows)")
    }
    #expect(plain("```\n\(words)", width: 150).first?.count == 150)
  }

  @Test("a table is aligned")
  func tables() {
    let text = "Here:\n| Name | Size |\n|:--|--:|\n| `a` | 1 |\n| **日本** | 200 |  \nend"
    #expect(
      plain(text) == [
        "Here:", "Name  Size", "────  ────", "a        1", "日本   200", "end",
      ]
    )
    #expect(styled(text, .heading) == ["Name", "Size"])
    #expect(plain(#"|a\|b|c|"# + "\n|-|-|\n|1|2|3|") == ["a|b  c", "───  ─  ─", "1    2  3"])
    #expect(plain("a | b\nno table") == ["a | b", "no table"])
  }

  @Test("text is folded at words by columns, and between wide characters")
  func folding() {
    #expect(plain("one  two three", width: 8) == ["one  two", "three"])
    #expect(plain("abcdefghij k", width: 4) == ["abcd", "efgh", "ij k"])
    #expect(plain("日本語の文 x", width: 5) == ["日本", "語の", "文 x"])
    #expect(plain("e\u{301}e\u{301}e\u{301}", width: 2) == ["e\u{301}e\u{301}", "e\u{301}"])
    #expect(plain("👨‍👩‍👧", width: 2).joined() == "👨‍👩‍👧")
    #expect(plain("line one\nline two") == ["line one", "line two"])
  }

  @Test("hostile text contains no control or bidirectional characters")
  func hostile() {
    for text in Hostile.texts + [Hostile.text] {
      let rows = plain(text + "\n```\n" + text + "\n```")
      #expect(rows.joined().unicodeScalars.allSatisfy { $0.isTypeable })
    }
    #expect(plain("a\r\nb\rc\td") == ["a", "b", "c    d"])
  }

  @Test("a text without visible characters has no rows")
  func empty() {
    for text in ["", "\n \n\t\n", "\u{202E}"] { #expect(plain(text).isEmpty) }
  }
}

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
