// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite("Composer layout")
struct ComposerLayoutTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var left = 0
    var width = 10
    var rows = 10
    var lines: [String]
    var cursor: (row: Int, column: Int)

    var testDescription: String { lines.joined(separator: "⏎") }
  }

  static let cases = [
    Case(text: "", lines: ["> "], cursor: (0, 2)),
    Case(text: "hello", lines: ["> hello"], cursor: (0, 7)),
    Case(text: "a\nb\n", lines: ["> a", "  b", "  "], cursor: (2, 2)),
    Case(text: "123456789", lines: ["> 12345678", "  9"], cursor: (1, 3)),
    Case(text: "12345678", lines: ["> 12345678", "  "], cursor: (1, 2)),
    Case(text: "12345678", left: 1, lines: ["> 12345678"], cursor: (0, 9)),
    Case(text: "123456789", left: 1, lines: ["> 12345678", "  9"], cursor: (1, 2)),
    Case(text: "12345678\n9", left: 2, lines: ["> 12345678", "  ", "  9"], cursor: (1, 2)),
    Case(text: "1234567한", lines: ["> 1234567", "  한"], cursor: (1, 4)),
    Case(text: "1234567한", left: 1, lines: ["> 1234567", "  한"], cursor: (1, 2)),
    Case(text: "한글e\u{301}", lines: ["> 한글e\u{301}"], cursor: (0, 7)),
    Case(text: "a\tb", lines: ["> a    b"], cursor: (0, 8)),
    // The rows around the cursor.
    Case(text: "1\n2\n3\n4\n5", rows: 3, lines: ["  3", "  4", "  5"], cursor: (2, 3)),
    Case(text: "1\n2\n3\n4\n5", left: 4, rows: 3, lines: ["  2", "  3", "  4"], cursor: (1, 3)),
    Case(text: "1\n2\n3\n4\n5", left: 9, rows: 3, lines: ["> 1", "  2", "  3"], cursor: (0, 2)),
    Case(text: "1\n2", rows: 0, lines: ["  2"], cursor: (0, 3)),
    // Very narrow.
    Case(text: "a한", width: 2, lines: [">a", " …", " "], cursor: (2, 1)),
    Case(text: "ab", width: 1, lines: ["a", "b", ""], cursor: (2, 0)),
  ]

  @Test("the text is shown in rows after the prompt", arguments: cases)
  func table(_ sample: Case) {
    var composer = Composer()
    composer.replace(sample.text)
    for _ in 0..<sample.left { _ = composer.apply(.left) }
    let prompt = sample.width > 2 ? StyledText("> ") : StyledText(">")
    let layout = composer.layout(width: sample.width, prompt: prompt, maxRows: sample.rows)
    #expect(layout.lines.map(\.plain) == sample.lines)
    #expect(layout.cursor == Cursor(row: sample.cursor.row, column: sample.cursor.column))
  }

  @Test("the prompt keeps its style")
  func prompt() {
    var composer = Composer()
    composer.replace("a")
    let layout = composer.layout(width: 20, prompt: StyledText("> ", .dim), maxRows: 3)
    #expect(
      layout.lines[0].pieces == [.init(text: "> ", style: .dim), .init(text: "a", style: .plain)]
    )
  }

  @Test("any text fits any size, with the cursor inside", arguments: 0..<20)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var composer = Composer()
    for _ in 0..<100 {
      _ = composer.apply(generator.key())
      let width = Int.random(in: 1...30, using: &generator)
      let rows = Int.random(in: 1...6, using: &generator)
      let layout = composer.layout(width: width, prompt: "한> ", maxRows: rows)
      #expect((1...rows).contains(layout.lines.count))
      #expect(layout.lines.allSatisfy { DisplayWidth.of($0.plain) <= width })
      let cursor = layout.cursor ?? Cursor(row: -1, column: -1)
      #expect(layout.lines.indices.contains(cursor.row))
      #expect((0..<width).contains(cursor.column))
    }
  }

  @Test("no text is hidden if there is room", arguments: 0..<20)
  func complete(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var composer = Composer()
    for _ in 0..<100 {
      _ = composer.apply(generator.key())
      let layout = composer.layout(width: 12, prompt: "", maxRows: 10_000)
      let shown = layout.lines.map(\.plain).joined()
      let whole = composer.text.map { $0 == "\t" ? "    " : $0 == "\n" ? "" : String($0) }.joined()
      #expect(shown == whole)
    }
  }
}
