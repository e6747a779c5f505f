// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@Suite("LiveRegion")
struct LiveRegionTests {
  private static let begin = "\u{1B}[?2026h\u{1B}[?25l\u{1B}[?7l"
  private static let end = "\u{1B}[?7h\u{1B}[?2026l"
  private static let endWithCursor = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?2026l"

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("the first frame writes every line and hides the cursor")
  func first() {
    var region = LiveRegion()
    let bytes = region.draw(["one", "two"], width: 20, height: 10)
    let clear = "\r\u{1B}[K\u{1B}[C\u{1B}[J\r"
    #expect(text(bytes) == Self.begin + clear + "one\r\ntwo\u{1B}[1A\r" + Self.end)
  }

  @Test("the first line after an empty block is in its row, also at the top of the screen")
  func afterEmpty() {
    var region = LiveRegion()
    var terminal = TerminalEmulator(width: 20, height: 5)
    for lines: [StyledText] in [[], ["one"]] {
      terminal.feed(region.draw(lines, width: 20, height: 5))
    }
    #expect(terminal.lines == ["one"])
  }

  @Test("an unchanged frame writes nothing")
  func unchanged() {
    var region = LiveRegion()
    _ = region.draw(["one", "two"], width: 20, height: 10, cursor: (1, 2))
    #expect(region.draw(["one", "two"], width: 20, height: 10, cursor: (1, 2)).isEmpty)
  }

  @Test("only changed cells are written")
  func oneLine() {
    var region = LiveRegion()
    _ = region.draw(["one", "two", "three"], width: 20, height: 10)
    let bytes = region.draw(["one", "2", "three"], width: 20, height: 10)
    let expected = "\u{1B}[1B\r\u{1B}[K2\u{1B}[1A\r"
    #expect(text(bytes) == Self.begin + expected + Self.end)
  }

  @Test("a moved cursor writes no line")
  func cursorOnly() {
    var region = LiveRegion()
    _ = region.draw(["one", "two"], width: 20, height: 10, cursor: (1, 3))
    let bytes = region.draw(["one", "two"], width: 20, height: 10, cursor: (0, 1))
    #expect(text(bytes) == Self.begin + "\u{1B}[1A\r\u{1B}[1C" + Self.endWithCursor)
  }

  @Test("a line wider than the screen is cut, with a mark, and does not wrap")
  func tooWide() {
    var screen = RegionOnScreen(width: 5, height: 4)
    screen.terminal.feed(screen.region.draw(["123456789", "next"], width: 5, height: 4))
    #expect(screen.terminal.lines == ["before", "1234…", "next"])
  }

  @Test("the last lines of a block taller than the screen are drawn")
  func tall() {
    var screen = RegionOnScreen(width: 10, height: 4)
    let lines = (1...6).map { StyledText(String($0)) }
    screen.draw(lines, cursor: Cursor(row: 5, column: 1))
    #expect(screen.terminal.lines == ["before", "4", "5", "6"])
    screen.draw(lines, cursor: Cursor(row: 0, column: 1))
    #expect(!screen.terminal.isCursorShown)
    screen.draw(["1", "2"], cursor: nil)
    #expect(screen.terminal.lines == ["before", "1", "2"])
  }

  @Test("after an invalidation, every line is written again")
  func invalid() {
    var region = LiveRegion()
    _ = region.draw(["one", "two"], width: 20, height: 10)
    region.invalidate()
    let bytes = region.draw(["one", "two"], width: 20, height: 10)
    #expect(text(bytes).contains("one") && text(bytes).contains("two"))
    #expect(region.draw(["one", "two"], width: 20, height: 10).isEmpty)
  }

  @Test("finish repairs the line into which the terminal echoed")
  func echo() {
    var screen = RegionOnScreen(width: 20, height: 5)
    screen.draw(["one", "two"], cursor: nil)
    screen.terminal.feed(Array("^Z".utf8))
    screen.finish()
    screen.terminal.feed(Array("$ ".utf8))
    #expect(screen.terminal.lines == ["before", "one", "two", "$"])
    #expect(screen.terminal.isCursorShown)
  }

  @Test("an undrawn region writes no end, and prints text directly")
  func untouched() {
    var region = LiveRegion()
    #expect(region.finish().isEmpty)
    #expect(region.erase().isEmpty)
    #expect(text(region.printAbove(["one", "two"])) == "one\r\ntwo\r\n")
  }

  @Test("after any calls, the screen shows the block below the printed lines", arguments: 0..<20)
  func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var screen = RegionOnScreen(
      width: .random(in: 4...30, using: &generator),
      height: .random(in: 2...9, using: &generator)
    )
    for _ in 0..<60 {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: screen.finish()
      case 1: screen.erase()
      case 2: screen.region.invalidate()
      case 3, 4: screen.print(generator.lines(0...3, width: 3 * screen.terminal.width))
      default:
        let count = screen.terminal.height + 2
        screen.drawRandomly(generator.lines(0...count, width: screen.terminal.width), &generator)
      }
      try #require(screen.defects == [])
    }
  }

  @Test(
    "after any resizes, no printed text is lost, and without a cursor no part of an old frame remains",
    arguments: 0..<20,
    [false, true]
  )
  func resize(seed: UInt64, reflows: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    var screen = RegionOnScreen(width: 20, height: 20, reflows: reflows)
    for step in 0..<40 {
      // A terminal that does not wrap lines cuts printed ones that are too wide.
      screen.print(generator.lines(0...2, width: reflows ? 60 : 10))
      let hasCursor = step >= 20 && Bool.random(using: &generator)
      let lines = generator.lines(0...4, width: screen.terminal.width)
      let cursor = Cursor(row: lines.count - 1, column: 0)
      screen.draw(lines, cursor: hasCursor && !lines.isEmpty ? cursor : nil)
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        screen.terminal.resize(
          width: .random(in: 10...40, using: &generator),
          height: .random(in: 18...30, using: &generator)
        )
      }
      switch Int.random(in: 0...2, using: &generator) {
      case 0: screen.print(generator.lines(1...2, width: 10))
      case 1: screen.erase()
      default: break
      }
      screen.draw(generator.lines(0...4, width: screen.terminal.width), cursor: nil)
      try #require(screen.hasAllText)
      if step < 20 { try #require(screen.defects == []) }
    }
  }

  @Test("narrowing a terminal that does not wrap lines erases no printed text")
  func narrowed() {
    var screen = RegionOnScreen(width: 20, height: 10, reflows: false)
    screen.print(["printed"])
    let cursor = Cursor(row: 1, column: 7)
    screen.draw([StyledText(String(repeating: "x", count: 20)), "> draft"], cursor: cursor)
    screen.terminal.resize(width: 12, height: 10)
    screen.draw([StyledText(String(repeating: "x", count: 12)), "> draft"], cursor: cursor)
    #expect(screen.defects == [])
  }
}

extension SeededGenerator {
  /// Lines up to a width; some have colours or wide characters.
  mutating func lines(_ counts: ClosedRange<Int>, width: Int) -> [StyledText] {
    (0..<Int.random(in: counts, using: &self)).map { _ in
      var line = ""
      let goal = Bool.random(using: &self) ? width : Int.random(in: 0...width, using: &self)
      while true {
        let next = ["a", "b", "c", "é", "한"].randomElement(using: &self) ?? "a"
        guard DisplayWidth.of(line + next) <= goal else { break }
        line += next
      }
      return StyledText(line, Bool.random(using: &self) ? .error : .plain)
    }
  }
}
