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

  @Test("after any change, the row looks as if it was written as a whole", arguments: 0..<20)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = ["a", "b", "c ", "漢", "é", "▸", "", "\(Self.bold)d\(Self.reset)", "e\u{301}"]
    func row() -> String {
      (0..<8).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
    }
    var terminal = TerminalEmulator(width: 20, height: 1)
    var shown = ""
    for _ in 0..<50 {
      let wanted = row()
      let change = RowChange(from: shown, to: wanted)
      terminal.feed(Array("\u{1B}[1;\(change.column + 1)H\(change.bytes)".utf8))
      var whole = TerminalEmulator(width: 20, height: 1)
      whole.feed(Array(wanted.utf8))
      #expect(terminal.lines == whole.lines, "\(shown) to \(wanted)")
      shown = wanted
    }
  }
}
