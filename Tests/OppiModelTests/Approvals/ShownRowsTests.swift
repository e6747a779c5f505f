// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

/// Which rows of a request have been on the screen.
@Suite struct ShownRowsTests {
  private static func rows(
    _ count: Int,
    room: Int,
    columns: Int = 80,
    widest: Int = 7
  ) -> ShownRows {
    var rows = ShownRows()
    _ = rows.resize(columns: columns, rows: room)
    rows.fit(count, widest: widest, room: room)
    return rows
  }

  @Test("a text is whole after each of its rows was on the screen, in any order")
  func whole() {
    for seed in 0..<200 {
      var random = SeededGenerator(seed: UInt64(seed))
      let (count, room) = (
        Int.random(in: 1...60, using: &random), Int.random(in: 0...20, using: &random)
      )
      var rows = Self.rows(count, room: room)
      var seen: Set<Int> = []
      for _ in 0..<60 {
        #expect(rows.isWhole == (seen.count == count))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: rows.scroll(by: .random(in: -70...70, using: &random))
        case 1: rows.scroll(byPages: .random(in: -1...1, using: &random))
        case 2:
          let first = Int.random(in: 0..<count, using: &random)
          rows.reveal(first..<first + 1)
        default:
          rows.wasShown()
          seen.formUnion(rows.visible)
        }
        #expect(
          rows.hiddenCount == Set(0..<count).subtracting(seen).subtracting(rows.visible).count
        )
      }
    }
  }

  @Test("the end alone is not the whole text")
  func end() {
    var rows = Self.rows(30, room: 10)
    rows.wasShown()
    rows.scroll(by: 30)
    rows.wasShown()
    #expect(!rows.isWhole && rows.hiddenCount == 10 && !rows.hasHiddenBelow)
    rows.scroll(byPages: -1)
    rows.wasShown()
    rows.scroll(byPages: -1)
    rows.wasShown()
    #expect(rows.isWhole && rows.hiddenCount == 0)
  }

  @Test("a hint for a single hidden row says whether it is above or below")
  func direction() {
    var rows = Self.rows(11, room: 10)
    #expect(rows.hiddenCount == 1 && rows.hasHiddenBelow)
    rows.scroll(by: 1)
    #expect(rows.hiddenCount == 1 && !rows.hasHiddenBelow)
  }

  @Test("another size, or another number of rows, starts again")
  func again() {
    for (columns, height, count) in [(79, 10, 5), (80, 9, 5), (80, 10, 6)] {
      var rows = Self.rows(5, room: 10)
      rows.wasShown()
      #expect(rows.isWhole)
      #expect(rows.resize(columns: columns, rows: height) == false, "nothing unseen can appear")
      rows.fit(count, widest: columns, room: height)
      #expect(!rows.isWhole, "\(columns)x\(height), \(count)")
      #expect(rows.resize(columns: 100, rows: 50) == true)
    }
    var same = Self.rows(5, room: 10)
    same.wasShown()
    #expect(same.resize(columns: 80, rows: 10) == false)
    same.fit(5, widest: 80, room: 8)
    #expect(same.isWhole, "a longer field hides rows that were shown")
  }

  @Test("nothing is shown in a window that is too narrow or too low")
  func tooSmall() {
    for (room, columns) in [(0, 80), (-3, 80), (50, 7)] {
      var rows = Self.rows(3, room: room, columns: columns)
      rows.wasShown()
      rows.scroll(by: 5)
      rows.wasShown()
      #expect(!rows.isWhole && rows.visible.isEmpty)
    }
    var empty = Self.rows(0, room: 5)
    empty.wasShown()
    #expect(!empty.isWhole, "nothing was laid out")
  }

  @Test("nothing is shown of a text with a row that a terminal may draw wider than the window")
  func tooWide() {
    for (widest, isWhole) in [(80, true), (81, false)] {
      var rows = Self.rows(3, room: 5, widest: widest)
      rows.wasShown()
      #expect(rows.isWhole == isWhole && rows.visible.isEmpty != isWhole)
    }
  }

  @Test("a text that was printed as a whole was shown, unless its rows are too narrow")
  func printed() {
    for (columns, isWhole) in [(1, false), (7, false), (8, true), (.max, true)] {
      var rows = ShownRows()
      #expect(!rows.isWhole)
      rows.wasPrinted(columns: columns)
      #expect(rows.isWhole == isWhole, "\(columns)")
    }
  }
}
