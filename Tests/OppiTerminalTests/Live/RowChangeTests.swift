// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite struct RowChangeTests {
  private static let bold = "\u{1B}[1m"
  private static let reset = "\u{1B}[0m"

  @Test("only the cells that differ are written, with their colours")
  func cells() {
    let moved = RowChange(from: "  a row", to: "\(Self.bold)▸ \(Self.reset)a row")
    #expect(moved == RowChange(from: "  a", to: "\(Self.bold)▸ \(Self.reset)a"))
    #expect(moved.column == 0 && moved.bytes == "\(Self.bold)▸ \(Self.reset)")
    let number = RowChange(from: "a 12 漢", to: "a 13 漢")
    #expect(number.column == 3 && number.bytes == "3")
    #expect(RowChange(from: "same", to: "same").bytes.isEmpty)
  }

  @Test("a row of another width is written to its end, after what is left of the old one is erased")
  func widths() {
    #expect(RowChange(from: "12 files", to: "2 files").bytes == "\u{1B}[K2 files")
    let longer = RowChange(from: "12 file", to: "12 files")
    #expect(longer.column == 7 && longer.bytes == "\u{1B}[Ks")
    #expect(RowChange(from: "abc", to: "") == RowChange(from: "x", to: ""))
  }

  @Test(
    "a row whose cells are uncertain is written as a whole",
    arguments: ["x👍🏽", "e\u{301}", "\u{1B}]8;;https://example.com\u{1B}\\link\u{1B}]8;;\u{1B}\\"]
  )
  func uncertain(row: String) {
    #expect(RowChange(from: row, to: row + "!").bytes == "\u{1B}[K\(row)!")
    #expect(RowChange(from: row + "!", to: "a").column == 0)
  }

  @Test("no change starts after a character whose width terminals disagree about")
  func ambiguous() {
    let change = RowChange(from: "A\u{1F1E6} foo bar", to: "A\u{1F1E6} baz bar")
    #expect(change.column == 1 && change.bytes == "\u{1F1E6} baz")
    let wider = RowChange(from: "a ● b", to: "a x b")
    #expect(wider.column == 2 && wider.bytes == "\u{1B}[Kx b")
    #expect(RowChange(from: "▸ ● b", to: "  ● b").bytes == " ")
  }

  @Test("a text at a column of its own stays there, and a change before it may keep it")
  func columns() {
    func row(_ left: String, _ right: String = "b") -> String {
      Theme.plain.render(StyledText(left).with(StyledText(right), from: 5))
    }
    #expect(row("é") == "é    \u{1B}[6G\u{1B}[Kb" && row("a") == "a    b")
    let selected = RowChange(from: row("  é"), to: row("▸ é"))
    #expect(selected.column == 0 && selected.bytes == "▸")
    let right = RowChange(from: row("é", "b1"), to: row("é", "b2"))
    #expect(right.column == 6 && right.bytes == "2")
    let left = RowChange(from: row("aé"), to: row("bé"))
    #expect(left.column == 0 && left.bytes == "b")
    #expect(RowChange(from: row("aéc"), to: row("aéd")).bytes == "\u{1B}[Kéd  \u{1B}[6G\u{1B}[Kb")
    #expect(RowChange(from: row("a"), to: row("é")).bytes == "\u{1B}[K\(row("é"))")
  }

  @Test("after any change, the row looks as if it was written as a whole", arguments: 0..<40)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "a", "b", "c ", "漢", "é", "▸", "", "d", "e\u{301}", "☰", "⚠\u{FE0F}", "\u{1F1E9}", "я", "│",
    ]
    func text(_ most: Int) -> StyledText {
      (0..<Int.random(in: 0...most, using: &generator)).reduce(StyledText()) { line, _ in
        let style = Bool.random(using: &generator) ? Style.plain : .name
        return line.with(StyledText(pieces.randomElement(using: &generator) ?? "", style))
      }
    }
    let widths = [nil, .least, .greatest, TerminalWidths.random(seed: seed)]
    var terminals = widths.map { TerminalEmulator(width: 30, height: 1, widths: $0) }
    for index in terminals.indices { terminals[index].feed(Array("\u{1B}[?7l".utf8)) }
    var shown = ""
    for _ in 0..<50 {
      let wanted = Theme.standard.render(
        text(8).truncated(to: 6).with(text(8), from: 6)
      )
      let change = RowChange(from: shown, to: wanted)
      for index in terminals.indices {
        terminals[index].feed(Array("\u{1B}[1;\(change.column + 1)H\(change.bytes)".utf8))
        var whole = TerminalEmulator(width: 30, height: 1, widths: widths[index])
        whole.feed(Array("\u{1B}[?7l\(wanted)".utf8))
        #expect(terminals[index].lines == whole.lines, "\(shown) to \(wanted)")
        #expect(terminals[index].unknown == [])
      }
      shown = wanted
    }
  }
}
