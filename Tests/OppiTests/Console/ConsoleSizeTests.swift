// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import Testing

@testable import Oppi

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
    desk.press(.text("5"))
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
