// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import Testing

@testable import Oppi

@Suite struct ConsoleLayoutTests {
  @Test("the parts cover each row of the screen once, in any size", arguments: 1...120)
  func rows(rows: Int) {
    for columns in [20, 40, 109, 110, 300] {
      for banner in 0...5 {
        let layout = ConsoleLayout(ScreenSize(columns: columns, rows: rows), bannerRows: banner)
        let areas = [layout.tabs, layout.banner, layout.body, layout.notice, layout.footer]
        let covered = areas.flatMap { Array($0.row..<($0.row + $0.rows)) }
        #expect(covered == Array(0..<rows), "\(columns)x\(rows), banner \(banner)")
        #expect(layout.list.rows == layout.body.rows)
      }
    }
  }

  @Test("a wide screen has two panes next to each other, and a narrow one has one")
  func panes() {
    let narrow = ConsoleLayout(ScreenSize(columns: 109, rows: 30), bannerRows: 0)
    #expect(narrow.side == nil && narrow.list == narrow.body)
    for columns in [110, 200, 300] {
      let wide = ConsoleLayout(ScreenSize(columns: columns, rows: 30), bannerRows: 0)
      let side = wide.side
      #expect(side.map { $0.column + $0.columns } == columns)
      #expect(side.map { $0.column > wide.list.columns } == true)
      #expect(side.map { $0.columns >= 40 } == true)
    }
  }

  @Test("a small screen has one row of the banner, a large one at most three")
  func banner() {
    #expect(ConsoleLayout(ScreenSize(columns: 80, rows: 19), bannerRows: 5).banner.rows == 1)
    #expect(ConsoleLayout(ScreenSize(columns: 80, rows: 20), bannerRows: 5).banner.rows == 3)
    #expect(ConsoleLayout(ScreenSize(columns: 80, rows: 20), bannerRows: 0).banner.rows == 0)
  }

  @Test("areas next to each other are joined in one row, and what does not fit is cut")
  func canvas() {
    var canvas = ConsoleCanvas(ScreenSize(columns: 12, rows: 2))
    canvas.draw(["left side", "x"], in: ConsoleArea(row: 0, column: 0, rows: 2, columns: 5))
    let right = ConsoleArea(row: 0, column: 7, rows: 1, columns: 5)
    canvas.draw(ScreenBlock(lines: ["right side", "no"], cursor: (0, 99)), in: right)
    #expect(canvas.lines.map(\.plain) == ["left…  righ…", "x"])
    #expect(canvas.cursor.map { [$0.row, $0.column] } == [0, 11])
    canvas.draw(ScreenBlock(lines: [], cursor: (1, 0)), in: right)
    #expect(
      canvas.cursor.map { [$0.row, $0.column] } == [0, 11],
      "the row is outside of the area"
    )
  }
}

@Suite struct ConsoleChromeTests {
  private static let tabs: [ConsoleChrome.TabTitle] = [
    ("Chat", 0, false), ("Approvals", 12, true), ("Work", 1, false), ("Schedules", 0, false),
    ("Settings", 0, false),
  ]

  @Test("the number of the selected tab is visible at any width of at least 40 columns")
  func tabTitles() {
    for width in 40...200 {
      let line = ConsoleChrome.tabs(Self.tabs, width: width).plain
      #expect(DisplayWidth.of(line) <= width)
      #expect(line.contains("[2 Approvals (12)]"), "\(width): \(line)")
      for number in 1...5 { #expect(line.contains("\(number)")) }
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

  @Test("a filter that is chosen stays visible on a narrow screen, in brackets")
  func filters() {
    let titles = ["All 3", "High risk 1", "From schedules 0"]
    let wide = ConsoleChrome.filters(titles, chosen: 2, text: "", new: 0, width: 80).plain
    #expect(wide == "All 3 High risk 1 [From schedules 0] ")
    let narrow = ConsoleChrome.filters(titles, chosen: 2, text: "", new: 0, width: 24).plain
    #expect(narrow.hasPrefix("[From schedules 0] "))
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
