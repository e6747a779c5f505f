// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

/// The widths that the program counts, compared with those of all known terminals.
@Suite struct WidthTableTests {
  @Test("every scalar has its greatest width in any terminal, and over all versions of Unicode")
  func scalars() throws {
    try #require(TerminalWidths.facts.count == 0x110000)
    var (count, wrong): (Int, [String]) = (0, [])
    for (value, facts) in TerminalWidths.facts.enumerated() {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      count += 1
      let text = String(scalar)
      let widths = (DisplayWidth.of(text), DisplayWidth.of(text, .greatest))
      if widths != (facts.usual, facts.most) {
        wrong.append("\(String(value, radix: 16)) \(widths)")
      }
    }
    #expect(count == 0x110000 - 0x800 && wrong.isEmpty, "\(wrong.count): \(wrong.prefix(20))")
  }

  @Test("a character with a selector has the width of its wider form")
  func selectors() {
    for (value, facts) in TerminalWidths.facts.enumerated() {
      guard let scalar = Unicode.Scalar(UInt32(value)), facts.most > 0 else { continue }
      let form = facts.hasWideForm ? 2 : facts.usual
      for selector in ["\u{FE0E}", "\u{FE0F}"] {
        let text = String(scalar) + selector
        let least = selector == "\u{FE0F}" ? form : facts.usual
        guard DisplayWidth.of(text) < least || DisplayWidth.of(text, .greatest) < facts.most else {
          continue
        }
        Issue.record("\(String(value, radix: 16)) with \(selector.debugDescription)")
      }
    }
  }

  @Test(
    "no text is wider in any terminal than its greatest width",
    arguments: 0..<40 as Range<UInt64>
  )
  func texts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let terminals = [.greatest, TerminalWidths.random(seed: seed)]
    for _ in 0..<50 {
      let text = WideText.pieces(&random).joined()
      for terminal in terminals {
        #expect(
          terminal.columns(of: text) <= DisplayWidth.of(text, .greatest),
          "\(text.debugDescription)"
        )
      }
      let width = Int.random(in: 8...160, using: &random)
      let line = StyledText(text)
      let rows =
        line.folded(to: width, indent: 2, .greatest) + line.cut(to: width, rest: "↪ ", .greatest)
      for row in rows {
        #expect(terminals.allSatisfy { $0.columns(of: row.plain) <= width }, "\(row.plain)")
      }
    }
  }

  @Test("a row of the alphabet is as wide as its letters, and a flag as a picture")
  func usual() {
    for text in ["Привет", "αβγ", "“né”…", "┌─┐"] {
      #expect(DisplayWidth.of(text) == text.count)
      #expect(DisplayWidth.of(text, .greatest) > text.count)
    }
    #expect(DisplayWidth.of("🇩🇪🇫🇷") == 4 && DisplayWidth.of("🇩🇪🇫🇷", .greatest) == 8)
    #expect(DisplayWidth.of("\u{1F1E9}") == 2 && DisplayWidth.of("🇩🇪\u{1F1EB}x\u{1F1F7}") == 7)
  }
}
