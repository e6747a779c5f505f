// SPDX-License-Identifier: MIT

import OppiText
import Testing

@testable import OppiTerminal

@Suite struct HyperlinkTests {
  @Test("only http and https addresses of plain ASCII become links")
  func addresses() {
    #expect(Hyperlink("https://A.example:8443/x?y=1#z")?.host == "a.example:8443")
    #expect(Hyperlink("HTTP://a.b")?.host == "a.b")
    for text in [
      "", "https://", "https:///x", "ftp://a.b", "file:///etc", "javascript:alert(1)", "//a.b",
      "https://user@evil.example", "https://a.b\u{7}", "https://a.b/\u{1B}\\", "https://a.b/x y",
      "https://exämple.com", "https://a.b/\u{202E}x", "https://[::1]/", "https://.x", "https://a_b",
      "https://a.b/" + String(repeating: "x", count: 2048), "https://a.b/\"<>", " https://a.b",
    ] {
      #expect(Hyperlink(text) == nil, "\(text.debugDescription)")
    }
  }

  private func rows(_ text: String, links: Bool, width: Int = 80) -> [StyledText] {
    Markdown.rows(of: text, width: width, look: links ? .linked : .styled)
  }

  @Test("a terminal with links shows the host after a text that is not the address")
  func hosts() {
    let text = "see [https://good.example](https://evil.example/login)"
    #expect(
      rows(text, links: true).map(\.plain) == ["see https://good.example (evil.example)"]
    )
    #expect(
      rows(text, links: false).map(\.plain)
        == ["see https://good.example (https://evil.example/login)"]
    )
    #expect(rows("[https://a.b](https://a.b)", links: true).map(\.plain) == ["https://a.b"])
    #expect(rows("[x](../y)", links: true).map(\.plain) == ["x (../y)"])
  }

  @Test("the whole text of a link opens it, in every row")
  func pieces() {
    let rows = rows("[one **two** `three`](http://a.b)", links: true, width: 9)
    let linked = rows.flatMap(\.pieces).filter { $0.link != nil }.map(\.text)
    #expect(linked.joined().filter { $0 != " " } == "onetwothree")
    #expect(
      rows.flatMap(\.pieces).allSatisfy { $0.link == nil || $0.link?.address == "http://a.b" }
    )
  }

  @Test("links are written as OSC 8 with colours only, and sanitizing removes them")
  func sequences() {
    let line = rows("[a](http://a.b/c) b", links: true)[0]
    let link = "\u{1B}]8;;http://a.b/c\u{1B}\\a\u{1B}]8;;\u{1B}\\"
    #expect(Theme.standard.render(line).hasPrefix(link))
    #expect(Theme.standard.render(line).safeBlock() == "a (a.b) b")
    #expect(Theme.plain.render(line) == "a (a.b) b")
  }

  @Test("folding, cutting and truncating keep links")
  func folding() {
    let line = rows("[one two three](http://a.b)", links: true)[0]
    for (rows, text) in [
      (line.folded(to: 7), "onetwothree"),
      (line.cut(to: 5, rest: StyledText("↪ ")), "onetwothree"),
      ([line.truncated(to: 6)], "onet"),
    ] {
      let linked = rows.flatMap(\.pieces).filter { $0.link != nil }.map(\.text).joined()
      #expect(linked.filter { $0 != " " } == text)
    }
  }

  @Test("deleted text is struck through, and keeps its marks for terminals without colours")
  func deleted() {
    let line = rows("a ~~b **c**~~ ~d~ ~/x ~~ e", links: false)[0]
    #expect(line.plain == "a ~~b c~~ ~d~ ~/x ~~ e")
    #expect(line.pieces.filter { $0.style == .deleted }.map(\.text).joined() == "b c")
    #expect(Theme.standard.render(line).contains("\u{1B}[9mb"))
  }
}
