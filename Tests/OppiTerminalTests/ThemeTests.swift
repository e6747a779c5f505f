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
  func standard(style: Style, expected: String) {
    #expect(Theme.standard.render(StyledText("x", style)) == expected)
  }

  @Test(
    "attributes come before the colour, which the terminal's number of colours determines",
    arguments: [
      (Theme(.linuxConsole), Style.error, [1, 31]),
      (Theme(.dark), .accent, [94]), (Theme(.light), .accent, [34]),
      (Theme(.dark), .warning, [1, 33]), (Theme(.light), .warning, [1, 35]),
      (Theme(.dark, depth: .indexed), .accent, [38, 5, 75]),
      (Theme(.dark, depth: .indexed), .dim, [38, 5, 103]),
      (Theme(.light, depth: .indexed), .dim, [38, 5, 241]),
      (Theme(.dark, depth: .exact), .warning, [1, 38, 2, 0xF2, 0xB8, 0x4B]),
      (Theme(.mono, depth: .exact), .unknown, [4]),
    ]
  )
  func parameters(theme: Theme, style: Style, codes: [Int]) {
    #expect(theme.codes(of: style) == codes)
  }

  @Test(
    "without a known background, no style is a bright colour or yellow, or combines bold with a colour",
    arguments: Style.allCases
  )
  func unknownBackground(style: Style) {
    let codes = Theme.standard.codes(of: style)
    #expect(codes.allSatisfy { (1...9).contains($0) || (30...37).contains($0) && $0 != 33 })
    #expect(!codes.contains(1) || codes.allSatisfy { $0 < 30 })
  }

  @Test(
    "colours are legible on black and on white in the usual palettes",
    arguments: Style.allCases
  )
  func contrast(style: Style) {
    for code in Theme.standard.codes(of: style) where code >= 30 {
      for (name, palette) in Luminance.palettes {
        for background in [0.0, 1] {
          let ratio = Luminance.contrast(Luminance.of(hex: palette[code - 30]), background)
          #expect(ratio >= 2.5, "\(style) of \(name) on \(background)")
        }
      }
    }
  }

  @Test(
    "exact colours have a contrast of at least 4.5 with the usual backgrounds",
    arguments: [
      // The last one is that of the selected row.
      (Theme.Scheme.dark, ["#000000", "#1e1e2e", "#1f2a3a"]),
      (.light, ["#ffffff", "#fdf6e3", "#e4ecf7"]),
    ],
    Style.allCases
  )
  func exact(_ scheme: (scheme: Theme.Scheme, backgrounds: [String]), style: Style) {
    let appearance = Theme(scheme.scheme, depth: .exact).appearance(of: style)
    guard case .exact(let value)? = appearance.color else { return }
    let color = Luminance.of(value: Int(value))
    for background in scheme.backgrounds {
      #expect(Luminance.contrast(color, Luminance.of(hex: background)) >= 4.5, "\(background)")
    }
  }

  @Test(
    "code looks unlike strong text on a known background",
    arguments: [Theme.Scheme.dark, .light],
    [ColorDepth.indexed, .exact]
  )
  func code(scheme: Theme.Scheme, depth: ColorDepth) {
    let theme = Theme(scheme, depth: depth)
    #expect(theme.codes(of: .code) != theme.codes(of: .strong))
    #expect(theme.codes(of: .code) != theme.codes(of: .link))
  }

  @Test(
    "an appearance is read from words, each of which is known",
    arguments: Appearance.words + ["#12ab34"]
  )
  func words(word: String) {
    #expect(Appearance(word) != nil)
    #expect(Appearance("\(word)x") == nil)
  }

  @Test("an appearance has one colour at most")
  func oneColor() {
    #expect(Appearance("Bold  bright-blue") == Appearance(.standard(12), .bold))
    #expect(Appearance("#F2b84b") == Appearance(.exact(0xF2B84B)))
    #expect(Appearance("red green") == nil && Appearance("#12345") == nil)
    #expect(Appearance("#12345g") == nil && Appearance("#1234567") == nil)
    #expect(Appearance("plain") == Appearance())
  }

  @Test("a user's appearance replaces one style, and a plain theme has none")
  func replaced() {
    let chosen = [Style.warning: Appearance(.standard(4))]
    #expect(Theme(.dark, replacing: chosen).codes(of: .warning) == [34])
    #expect(Theme(.dark, replacing: chosen).codes(of: .error) == Theme(.dark).codes(of: .error))
    #expect(Theme(.plain, replacing: chosen).codes(of: .warning) == [])
    let exact = [Style.warning: Appearance(.exact(0x0000FF), .bold)]
    #expect(Theme(.dark, replacing: exact).codes(of: .warning) == [1])
  }

  @Test(
    "the environment tells the number of colours",
    arguments: [
      (["TERM": "xterm"], ColorDepth.standard), (["TERM": "xterm-256color"], .indexed),
      (["TERM": "tmux-256color", "COLORTERM": "truecolor"], .exact),
      (["TERM": "xterm-direct"], .exact), (["COLORTERM": "24bit"], .exact), ([:], .standard),
    ]
  )
  func depth(environment: [String: String], expected: ColorDepth) {
    #expect(ColorDepth(environment: environment) == expected)
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
    #expect(Theme.standard.render(line).contains("]8;;https://example.org"))
    #expect(Theme.linuxConsole.render(line) == "\u{1B}[4mx\u{1B}[0m")
  }

  @Test("pieces of several styles are written in order")
  func line() {
    var line = StyledText("bad", .error)
    line.append(": ")
    line.append("why", .dim)
    #expect(Theme.standard.render(line) == "\u{1B}[31mbad\u{1B}[0m: \u{1B}[2mwhy\u{1B}[0m")
    #expect(Theme.plain.render(line) == "bad: why")
    #expect(Theme.standard.render("") == "")
  }
}
