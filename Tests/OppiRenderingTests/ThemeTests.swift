// SPDX-License-Identifier: MIT

import OppiRendering
import Testing

@Suite("Theme")
struct ThemeTests {
  private static let styles: [Style] = [
    .plain, .heading, .name, .dim, .success, .warning, .error, .code,
  ]

  @Test("the plain theme writes only the text", arguments: styles)
  func plain(style: Style) {
    #expect(Theme.plain.render(StyledText("x y", style)) == "x y")
  }

  @Test(
    "a style uses a colour of the terminal and is reset after its piece",
    arguments: [
      (Style.plain, "x"), (.heading, "\u{1B}[1mx\u{1B}[0m"), (.name, "\u{1B}[1mx\u{1B}[0m"),
      (.dim, "\u{1B}[2mx\u{1B}[0m"), (.success, "\u{1B}[32mx\u{1B}[0m"),
      (.warning, "\u{1B}[33mx\u{1B}[0m"), (.error, "\u{1B}[31mx\u{1B}[0m"),
      (.code, "\u{1B}[36mx\u{1B}[0m"),
    ]
  )
  func ansi(style: Style, expected: String) {
    #expect(Theme.ansi.render(StyledText("x", style)) == expected)
  }

  @Test("pieces of several styles are written in order")
  func line() {
    var line = StyledText("bad", .error)
    line.append(": ")
    line.append("why", .dim)
    #expect(Theme.ansi.render(line) == "\u{1B}[31mbad\u{1B}[0m: \u{1B}[2mwhy\u{1B}[0m")
    #expect(Theme.plain.render(line) == "bad: why")
    #expect(Theme.ansi.render("") == "")
  }
}
