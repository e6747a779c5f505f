// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite("Theme")
struct ThemeTests {
  @Test("the plain theme writes only the text", arguments: Style.allCases)
  func plain(style: Style) {
    #expect(Theme.plain.render(StyledText("x y", style)) == "x y")
  }

  @Test(
    "a style is reset after its piece",
    arguments: [
      (Style.plain, "x"), (.heading, "\u{1B}[1mx\u{1B}[0m"), (.name, "\u{1B}[1mx\u{1B}[0m"),
      (.dim, "\u{1B}[2mx\u{1B}[0m"), (.success, "x"), (.warning, "\u{1B}[35mx\u{1B}[0m"),
      (.error, "\u{1B}[31mx\u{1B}[0m"), (.code, "\u{1B}[1mx\u{1B}[0m"),
    ]
  )
  func ansi(style: Style, expected: String) {
    #expect(Theme.ansi.render(StyledText("x", style)) == expected)
  }

  @Test("several parameters are separated by semicolons")
  func parameters() {
    #expect(Theme.linuxConsole.render(StyledText("x", .error)) == "\u{1B}[1;31mx\u{1B}[0m")
  }

  @Test("no style sets a background, a bright colour or yellow", arguments: Theme.allCases)
  func codes(theme: Theme) {
    for style in Style.allCases {
      for code in theme.codes(of: style) {
        #expect((1...9).contains(code) || (30...37).contains(code), "\(style): \(code)")
        #expect(code != 33, "\(style)")
      }
    }
  }

  @Test("without a known background, bold is not combined with a colour", arguments: Style.allCases)
  func bold(style: Style) {
    let codes = Theme.ansi.codes(of: style)
    #expect(!codes.contains(1) || codes == [1])
  }

  @Test(
    "colours are legible on black and on white in the usual palettes",
    arguments: Style.allCases
  )
  func contrast(style: Style) {
    for code in Theme.ansi.codes(of: style) where code >= 30 {
      for (name, palette) in Luminance.palettes {
        for background in [0.0, 1] {
          let ratio = Luminance.contrast(Luminance.of(hex: palette[code - 30]), background)
          #expect(ratio >= 2.5, "\(style) of \(name) on \(background)")
        }
      }
    }
  }

  @Test("the Linux console gets only what it can show, in colours legible on black")
  func linuxConsole() {
    for style in Style.allCases {
      let codes = Theme.linuxConsole.codes(of: style)
      // Bold selects the bright half of the palette.
      let colors = codes.contains(1) ? Luminance.brightVGA : Luminance.vga
      #expect(Set(codes).isDisjoint(with: [2, 3, 9]), "\(style)")
      for code in codes where code >= 30 {
        #expect(Luminance.contrast(Luminance.of(hex: colors[code - 30]), 0) >= 4.5, "\(style)")
      }
    }
  }

  @Test("links are opened only where the background is not known to be the Linux console's")
  func links() {
    var line = StyledText()
    line.append(.init(text: "x", style: .link, link: Hyperlink("https://example.org")))
    #expect(Theme.ansi.render(line).contains("]8;;https://example.org"))
    #expect(Theme.linuxConsole.render(line) == "\u{1B}[4mx\u{1B}[0m")
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
