// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite struct CanvasTests {
  private func canvas(_ width: Int, _ lines: StyledText...) -> Canvas {
    Canvas(lines, width: width)
  }

  @Test("lines are drawn into an area, and what does not fit is cut with a mark")
  func area() {
    var canvas = Canvas(ScreenSize(columns: 8, rows: 3))
    canvas.draw(["abcdef", "g", "h"], in: Rect(row: 1, column: 2, rows: 1, columns: 4))
    #expect(canvas.texts == ["", "  abc…", ""])
    canvas.draw(["漢字漢"], in: Rect(row: 2, column: 5, rows: 5, columns: 9))
    #expect(canvas.text(row: 2) == "     漢…")
  }

  @Test(
    "nothing is drawn outside of the canvas",
    arguments: [(-1, 0), (3, 0), (0, -1), (0, 8), (.max, .max), (.min, .min)]
  )
  func outside(row: Int, column: Int) {
    var canvas = Canvas(ScreenSize(columns: 8, rows: 3))
    canvas.draw("abc", row: row, column: column, columns: 3)
    #expect(canvas.texts == ["", "", ""])
  }

  @Test("a later text covers an earlier one, and half of a wide character is blank")
  func covers() {
    var canvas = canvas(8, "漢字漢字")
    canvas.draw("x", row: 0, column: 1, columns: 1)
    #expect(canvas.text(row: 0) == " x字漢字")
    canvas.draw("yy", row: 0, column: 4, columns: 2)
    #expect(canvas.text(row: 0) == " x字yy字")
    canvas.draw("漢", row: 0, column: 5, columns: 2)
    #expect(canvas.text(row: 0) == " x字y漢")
  }

  @Test(
    "control sequences are removed, tabs and line feeds are spaces, and marks join their letter"
  )
  func safety() {
    #expect(canvas(9, "a\u{1B}[31mb\tc\nd").text(row: 0) == "ab    c d")
    #expect(canvas(9, "e\u{301}x", "\u{301}x").rows[0][0].text == "e\u{301}")
    let split = StyledText("e").with(StyledText("\u{301}", .name)).with("x")
    #expect(canvas(9, split).text(row: 0) == "e\u{301}x")
  }

  @Test("the cells of a selected area keep their styles")
  func selection() {
    var canvas = canvas(3, "a", StyledText("b", .error))
    canvas.select(Rect(row: 1, rows: 9, columns: 9))
    canvas.select(Rect(row: -5, column: -5, rows: 2, columns: 2))
    #expect(canvas.rows[0].allSatisfy { !$0.isSelected })
    #expect(canvas.rows[1].allSatisfy(\.isSelected) && canvas.rows[1][0].style == .error)
  }

  @Test("a cleared area is blank, and covers half of what reaches into it")
  func clear() {
    var canvas = canvas(6, "漢漢漢", "abcdef")
    canvas.clear(Rect(row: 0, column: 1, rows: 2, columns: 3))
    #expect(canvas.texts == ["    漢", "a   ef"])
  }

  @Test("the cursor of a block is where its area is, and hidden outside of it")
  func cursor() {
    var canvas = Canvas(ScreenSize(columns: 9, rows: 9))
    let area = Rect(row: 2, column: 3, rows: 2, columns: 4)
    func place(_ row: Int, _ column: Int) -> Cursor? {
      let cursor = Cursor(row: row, column: column, isShown: false)
      return canvas.draw(ScreenBlock(lines: ["a"], cursor: cursor), in: area)
    }
    #expect(place(1, 2) == Cursor(row: 3, column: 5, isShown: false))
    #expect(place(1, 9) == Cursor(row: 3, column: 6, isShown: false))
    #expect(place(2, 0) == nil && place(-1, 0) == nil)
    #expect(canvas.text(row: 2) == "   a")
  }

  @Test("each row has a cell for each column, whatever is drawn", arguments: 0..<40)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let texts = ["a", "漢", "e\u{301}", "👨‍👩‍👧", "⚠\u{FE0F}", "\u{200D}", "", "\u{1F1E9}\u{1F1EA}", "│"]
    var canvas = Canvas(ScreenSize(columns: 12, rows: 2))
    for _ in 0..<60 {
      let line = (0..<6).reduce(StyledText()) { line, _ in
        line.with(StyledText(texts.randomElement(using: &generator) ?? ""))
      }
      canvas.draw(
        line,
        row: .random(in: -1...2, using: &generator),
        column: .random(in: -1...12, using: &generator),
        columns: .random(in: 0...12, using: &generator)
      )
      for row in canvas.rows {
        #expect(row.count == 12 && row.first?.text.isEmpty == false)
        var end = 0
        for (column, cell) in row.enumerated() where !cell.text.isEmpty {
          #expect(column == end)
          end = column + DisplayWidth.of(cell.text)
        }
        #expect(end == 12)
      }
    }
  }
}
