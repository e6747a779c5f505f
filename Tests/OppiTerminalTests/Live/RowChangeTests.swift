// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite struct RowChangeTests {
  private static let bold = "\u{1B}[1m"
  private static let reset = "\u{1B}[0m"

  /// A row of a text, and one that begins an area of its own.
  private func row(_ left: StyledText, _ right: StyledText? = nil) -> [Canvas.Cell] {
    var canvas = Canvas(ScreenSize(columns: 30, rows: 1))
    canvas.draw(left, row: 0, column: 0, columns: 30)
    if let right { canvas.draw(right, row: 0, column: 5, columns: 20) }
    return canvas.rows[0]
  }

  private func change(
    _ old: StyledText,
    _ new: StyledText,
    theme: Theme = .standard
  ) -> RowChange {
    RowChange(from: row(old), to: row(new), in: theme)
  }

  @Test("only the cells that differ are written, with their colours")
  func cells() {
    let moved = change("  a row", StyledText("▸ ", .name).with("a row"))
    #expect(moved == change("  a", StyledText("▸ ", .name).with("a")))
    #expect(moved.column == 0 && moved.bytes == "\(Self.bold)▸ \(Self.reset)")
    let number = change("a 12 漢", "a 13 漢")
    #expect(number.column == 3 && number.bytes == "3")
    #expect(change("same", "same").bytes.isEmpty)
  }

  @Test("a row of another width is written to its end, after what is left of the old one is erased")
  func widths() {
    #expect(change("12 files", "2 files").bytes == "\u{1B}[K2 files")
    let longer = change("12 file", "12 files")
    #expect(longer.column == 7 && longer.bytes == "\u{1B}[Ks")
    let shorter = change("12 files", "12")
    #expect(shorter.column == 2 && shorter.bytes == "\u{1B}[K")
    #expect(change("abc", "") == change("x", ""))
  }

  @Test(
    "no change starts after a character whose width is uncertain",
    arguments: ["👍🏽", "e\u{301}"]
  )
  func uncertain(character: String) {
    let change = change(StyledText("x\(character)a"), StyledText("x\(character)b"))
    #expect(change.column == 1 && change.bytes.hasPrefix(character))
  }

  @Test("no change starts after a character whose width terminals disagree about")
  func ambiguous() {
    let change = change("A\u{1F1E6} foo bar", "A\u{1F1E6} baz bar")
    #expect(change.column == 1 && change.bytes == "\u{1F1E6} baz")
    let wider = self.change("a ● b", "a x b")
    #expect(wider.column == 2 && wider.bytes == "\u{1B}[Kx b")
    #expect(self.change("▸ ● b", "  ● b").bytes == " ")
    let age = self.change("✓ idle 7 s", "✓ idle 8 s")
    #expect(age.column == 7 && age.bytes == "8")
  }

  @Test("a changed link is written with its end")
  func links() {
    var linked = StyledText()
    linked.append(.init(text: "b", style: .plain, link: Hyperlink("https://example.org")))
    let change = change("abc", StyledText("a").with(linked).with("c"))
    let link = "\u{1B}]8;;https://example.org\u{1B}\\b\u{1B}]8;;\u{1B}\\"
    #expect(change.column == 1 && change.bytes == link)
  }

  @Test("an area begins at its column after uncertain text, and a change before it may keep it")
  func areas() {
    func bytes(_ row: [Canvas.Cell]) -> String { RowChange.text(of: row, in: .plain) }
    #expect(bytes(row("é", "b")) == "é    \u{1B}[6G\u{1B}[Kb")
    #expect(bytes(row("a", "b")) == "a    b")
    func change(_ old: [Canvas.Cell], _ new: [Canvas.Cell]) -> RowChange {
      RowChange(from: old, to: new, in: .plain)
    }
    let selected = change(row("  é", "b"), row("▸ é", "b"))
    #expect(selected.column == 0 && selected.bytes == "▸")
    let right = change(row("é", "b1"), row("é", "b2"))
    #expect(right.column == 6 && right.bytes == "2")
    let left = change(row("aé", "b"), row("bé", "b"))
    #expect(left.column == 0 && left.bytes == "b")
    let both = change(row("aéc", "b"), row("aéd", "b"))
    #expect(both.column == 1 && both.bytes == "\u{1B}[Kéd  \u{1B}[6G\u{1B}[Kb")
    #expect(change(row("a", "b"), row("é", "b")).bytes == "\u{1B}[K\(bytes(row("é", "b")))")
  }

  @Test("the selected row has its background to its end")
  func selection() {
    var canvas = Canvas(["a"], width: 3)
    canvas.select(Rect(rows: 1, columns: 3))
    let theme = Theme(.dark, depth: .exact)
    #expect(
      RowChange.text(of: canvas.rows[0], in: theme) == "\u{1B}[48;2;31;42;58ma  \(Self.reset)"
    )
    let change = RowChange(from: canvas.rows[0], to: row("a"), in: theme)
    #expect(change.column == 0 && change.bytes == "\u{1B}[Ka")
  }

  @Test("after any change, the row looks as if it was written as a whole", arguments: 0..<40)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "a", "b", "c ", "漢", "é", "▸", "", "d", "e\u{301}", "☰", "⚠\u{FE0F}", "\u{1F1E9}", "я", "│",
      "✓", "⠹", "⚠", "●", "\u{AD}", "\u{FE0F}",
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
    var shown = row("")
    for _ in 0..<50 {
      let wanted = row(text(8).truncated(to: 6), Bool.random(using: &generator) ? text(8) : nil)
      let change = RowChange(from: shown, to: wanted, in: .standard)
      let written = RowChange.text(of: wanted, in: .standard)
      for index in terminals.indices {
        terminals[index].feed(Array("\u{1B}[1;\(change.column + 1)H\(change.bytes)".utf8))
        var whole = TerminalEmulator(width: 30, height: 1, widths: widths[index])
        whole.feed(Array("\u{1B}[?7l\(written)".utf8))
        #expect(terminals[index].lines == whole.lines, "\(change) to \(written)")
        #expect(terminals[index].unknown == [])
      }
      shown = wanted
    }
  }
}
