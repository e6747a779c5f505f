// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiText
import TestSupport
import Testing

@testable import Oppi
@testable import OppiTestSupport

@Suite struct ConsoleLayoutTests {
  @Test("the parts cover each row of the screen once, in any size", arguments: 2...120)
  func rows(rows: Int) {
    for columns in [20, 40, 109, 110, 300] {
      for banner in 0...5 {
        let layout = ConsoleLayout(ScreenSize(columns: columns, rows: rows), bannerRows: banner)
        let sum = 1 + layout.bannerRows + layout.body.rows + layout.footRows
        #expect(sum == rows, "\(columns)x\(rows), banner \(banner)")
        #expect(layout.list.rows == layout.body.rows && layout.detail.rows == layout.body.rows)
      }
    }
  }

  @Test("a wide screen has two panes next to each other, and a narrow one has one")
  func panes() {
    let narrow = ConsoleLayout(ScreenSize(columns: 109, rows: 30), bannerRows: 0)
    #expect(!narrow.isSplit && narrow.list == narrow.body && narrow.detail == narrow.body)
    for columns in [110, 200, 300] {
      let wide = ConsoleLayout(ScreenSize(columns: columns, rows: 30), bannerRows: 0)
      #expect(wide.isSplit && wide.list.columns + 3 + wide.detail.columns == columns)
      #expect(wide.detail.columns >= 40)
    }
  }

  @Test("a small screen has one row of the banner, a large one at most three")
  func banner() {
    #expect(ConsoleLayout(ScreenSize(columns: 80, rows: 19), bannerRows: 5).bannerRows == 1)
    #expect(ConsoleLayout(ScreenSize(columns: 80, rows: 20), bannerRows: 5).bannerRows == 3)
    #expect(ConsoleLayout(ScreenSize(columns: 80, rows: 20), bannerRows: 0).bannerRows == 0)
  }
}

/// Where terminals draw the pane next to the list, which may have characters of any width.
@Suite struct ConsoleDividerTests {
  @Test(
    "the divider and the detail keep their columns in any terminal",
    arguments: 0..<20 as Range<UInt64>
  )
  func columns(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let layout = ConsoleLayout(ScreenSize(columns: 120, rows: 9), bannerRows: 0)
    let start = layout.list.columns + 3
    for terminal in [.least, .greatest, TerminalWidths.random(seed: seed)] {
      let lines = (0..<layout.body.rows).map { _ in
        StyledText(WideText.pieces(&random).joined().safeLine())
      }
      let detail = lines.indices.map { StyledText("detail \($0)") }
      var canvas = Canvas(layout.size)
      canvas.draw(lines, in: layout.list)
      layout.drawDivider(on: &canvas)
      canvas.draw(detail, in: layout.detail)
      var screen = TerminalEmulator(width: 120, height: 9, widths: terminal)
      var frame = FullFrame()
      screen.feed(frame.draw(canvas, cursor: nil, on: layout.size))
      for row in lines.indices {
        let row = layout.body.row + row
        #expect(screen.text(row: row, from: start - 2).hasPrefix("│"), "\(canvas.text(row: row))")
        #expect(screen.text(row: row, from: start) == "detail \(row - layout.body.row)")
      }
    }
  }
}

@Suite struct ConsoleChromeTests {
  private static let tabs: [ConsoleChrome.TabTitle] = [
    ("Now", 100, false), ("Approvals", 12, true), ("Work", 100, false), ("Chat", 0, false),
    ("Schedules", 0, false), ("Costs", 0, false), ("Settings", 0, false),
  ]

  @Test("the number of the selected tab is visible at any width of at least 40 columns")
  func tabTitles() {
    for width in 40...200 {
      let line = ConsoleChrome.tabs(Self.tabs, width: width).plain
      #expect(DisplayWidth.of(line) <= width)
      #expect(line.contains("[2 Approvals (12)]"), "\(width): \(line)")
      for number in 1...7 { #expect(line.contains("\(number)")) }
      let words = line.split { !$0.isLetter }.map(String.init)
      #expect(words.allSatisfy(Self.tabs.map(\.title).contains), "no title is cut: \(line)")
    }
  }

  @Test("the footer shows only what works, and always help and quit", arguments: 20...120)
  func footer(width: Int) {
    let rows = ["one", "two", "three", "four", "five", "help", "quit"].map { word in
      KeyRow(String(word.prefix(1)), word, help: "", .help, when: word != "two")
    }
    let line = ConsoleChrome.footer(rows.footer, width: width).plain
    #expect(DisplayWidth.of(line) <= width)
    #expect(line.hasSuffix("h help  q quit") && !line.contains("two"))
  }

  @Test("the filters keep their order, and the chosen one is visible on a narrow screen")
  func filters() {
    let titles = ["All 3", "High risk 1", "From schedules 0"]
    let wide = ConsoleChrome.filters(titles, chosen: 2, notes: [], width: 80).plain
    #expect(wide == "All 3 · High risk 1 · [From schedules 0]")
    func narrow(_ chosen: Int, _ width: Int = 24) -> String {
      ConsoleChrome.filters(titles, chosen: chosen, notes: [], width: width).plain
    }
    #expect(narrow(0) == "[All 3] · High risk 1 ·…" && narrow(1) == "All 3 · [High risk 1] ·…")
    #expect(narrow(2) == "… [From schedules 0]")
    #expect(narrow(2, 36) == "… High risk 1 · [From schedules 0]")
    #expect(narrow(1, 19) == "… [High risk 1] · …" && narrow(2, 12) == "… [From sch…")
  }

  @Test("a banner that has no room for all servers counts the others")
  func banner() {
    let lines = ["a", "b", "c", "of a", "of b", "of c"].map { StyledText($0) }
    #expect(ConsoleChrome.fitted(lines, rows: 4).map(\.plain) == ["a", "b", "c", "of a"])
    #expect(ConsoleChrome.fitted(lines, rows: 3).map(\.plain) == ["a", "b", "c"])
    #expect(ConsoleChrome.fitted(lines, rows: 2).map(\.plain) == ["a", "✗ +1 more; b"])
    #expect(ConsoleChrome.fitted(lines, rows: 0).isEmpty)
  }
}

/// Details and small windows of the console.
@Suite struct ConsoleSizeTests {
  private static let settings = ConsoleDesk.item(
    .server(ConsoleDesk.studio),
    "studio",
    // Each line has two rows in the pane next to the list, and one on the whole screen.
    detail: (1...30).map { StyledText("\($0) " + String(repeating: "word ", count: 25)) }
      + [StyledText("the last line")]
  )

  @Test("a detail next to the list scrolls to its end, in any size", arguments: [40, 80, 109, 160])
  func end(columns: Int) {
    var desk = ConsoleDesk(columns: columns, rows: 20)
    desk.press(.text("7"))
    _ = desk.update(.news(.settings([Self.settings])))
    desk.press(.down, .enter)
    #expect(!desk.shows("the last line"))
    for _ in 0..<40 { desk.press(.pageDown) }
    #expect(desk.shows("the last line"))
    // The end of the text is at the end of the area: nothing is scrolled away behind it.
    #expect(desk.lines.dropLast(2).last?.contains("the last line") == true, "\(desk.lines)")
    for _ in 0..<200 { desk.press(.up) }
    #expect(desk.shows("1 word"))
  }

  @Test(
    "a window with less than 5 rows says that it is too small, and approves nothing",
    arguments: 1...8
  )
  func small(rows: Int) {
    var desk = ConsoleDesk(columns: 60, rows: rows)
    desk.answer([ConsoleDesk.request("a", "ls")])
    #expect(desk.shows("window too small: needs 5 rows") == (rows < 5))
    #expect(desk.shows("[2 Approvals") == (rows >= 5))
    guard rows < 5 else { return }
    desk.press(.down, .enter)
    #expect(desk.choose("a") == [])
  }
}

@Suite struct DetailScrollTests {
  private static func scroll(
    _ count: Int,
    room: Int,
    from start: DetailScroll.Start = .top
  ) -> DetailScroll {
    var scroll = DetailScroll(from: start)
    scroll.fit(count, room: room)
    return scroll
  }

  @Test("keys move by rows and pages, and stop at both ends")
  func keys() {
    var scroll = Self.scroll(10, room: 4)
    #expect(scroll.shown == 0..<4 && scroll.above == 0 && scroll.below == 6)
    for (key, first) in [
      (Key.up, 0), (.down, 1), (.pageDown, 4), (.end, 6), (.down, 6), (.home, 0),
    ] {
      scroll.scroll(by: key)
      #expect(scroll.shown == first..<(first + 4) && scroll.below == 6 - first, "\(key)")
    }
  }

  @Test("a detail that fits does not move")
  func short() {
    var scroll = Self.scroll(3, room: 4)
    for key in [Key.down, .pageDown, .end, .up] {
      scroll.scroll(by: key)
      #expect(scroll.shown == 0..<3)
    }
    #expect(Self.scroll(0, room: 0).shown == 0..<0)
  }

  @Test("a conversation begins at its end, which new rows do not move")
  func end() {
    var scroll = Self.scroll(10, room: 4, from: .end)
    #expect(scroll.shown == 6..<10)
    scroll.fit(12, room: 4)
    #expect(scroll.shown == 8..<12)
    scroll.scroll(by: .up)
    #expect(scroll.shown == 7..<11 && scroll.below == 1)
    scroll.scroll(by: .home)
    #expect(scroll.shown == 0..<4 && scroll.above == 0)
  }

  @Test("fewer rows and a larger area bring the end back into view")
  func bounds() {
    var scroll = Self.scroll(10, room: 4)
    scroll.scroll(by: .end)
    scroll.fit(5, room: 4)
    #expect(scroll.shown == 1..<5)
    scroll.fit(5, room: 20)
    #expect(scroll.shown == 0..<5)
  }

  @Test("Esc, Left, q and Ctrl-C close a detail; other keys do not")
  func closing() {
    var scroll = Self.scroll(10, room: 4)
    for key in [Key.escape, .left, .text("q"), .control("c")] {
      let isOpen = scroll.take(key)
      #expect(!isOpen, "\(key)")
    }
    let isOpen = scroll.take(.text("x"))
    #expect(isOpen && scroll.shown == 0..<4)
  }
}
