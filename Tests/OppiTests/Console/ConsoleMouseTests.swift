// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// The mouse in the console: it selects and opens, and decides nothing.
@Suite struct ConsoleMouseTests {
  private static func desk(columns: Int = 80) -> ConsoleDesk {
    var desk = ConsoleDesk(columns: columns, hasMouse: true)
    desk.answer(["a", "b", "c"].map { ConsoleDesk.request($0, "make \($0)") })
    return desk
  }

  private static func click(
    _ desk: inout ConsoleDesk,
    _ text: String,
    column: Int = 5,
    isDouble: Bool = false
  ) -> [ConsoleEffect] {
    let row = desk.lines.firstIndex { $0.contains(text) } ?? 0
    let press = MouseEvent(.press, row: row, column: column, isDouble: isDouble)
    return desk.update(.mouse(press, at: desk.now))
  }

  @Test("a click selects the row under it, and a double click opens it")
  func clicks() {
    var desk = Self.desk()
    #expect(Self.click(&desk, "make c").isEmpty && desk.cursorLine.contains("make c"))
    #expect(desk.shows("Shift with the mouse selects text"))
    #expect(Self.click(&desk, "make b").isEmpty && desk.cursorLine.contains("make b"))
    #expect(Self.click(&desk, "make b", isDouble: true).isEmpty && desk.shows("a allow once"))
  }

  @Test("M and its command switch the mouse; while it is on, a notice tells of Shift")
  func switches() {
    var desk = ConsoleDesk()
    #expect(!desk.shows("Shift with the mouse"))
    desk.press("M")
    #expect(desk.mouse == [true])
    #expect(desk.shows("the mouse is on; Shift with the mouse selects text"))
    desk.press(.down)
    #expect(desk.shows("Shift with the mouse selects text") && !desk.shows("the mouse is on"))
    desk.press(":", .text("mouse"), .enter)
    #expect(desk.mouse == [true, false] && desk.shows("the mouse is off"))
    desk.press(.down)
    #expect(!desk.shows("Shift with the mouse"))
  }

  @Test("clicks beside the rows, and on the detail, change nothing", arguments: [80, 120])
  func beside(columns: Int) {
    var desk = Self.desk(columns: columns)
    desk.press(.end)
    for text in ["[2 Approvals", "REQUEST", "Enter open", "[All 3]"] {
      #expect(Self.click(&desk, text, isDouble: true).isEmpty)
      #expect(desk.cursorLine.contains("make c"), "\(text)")
    }
    if columns == 120 {
      #expect(Self.click(&desk, "make a", column: 100, isDouble: true).isEmpty)
      #expect(desk.cursorLine.contains("make c"))
    }
  }

  @Test("the wheel moves the selection, and a release does nothing")
  func wheel() {
    var desk = Self.desk()
    _ = desk.update(.mouse(MouseEvent(.wheelDown, row: 6, column: 5), at: desk.now))
    #expect(desk.cursorLine.contains("make c"))
    _ = desk.update(.mouse(MouseEvent(.release, row: 5, column: 5), at: desk.now))
    #expect(desk.cursorLine.contains("make c"))
    _ = desk.update(.mouse(MouseEvent(.wheelUp, row: 6, column: 5), at: desk.now))
    #expect(desk.cursorLine.contains("make a"))
  }

  @Test("an open request takes no clicks: nothing is selected, decided or closed")
  func request() {
    var desk = Self.desk(columns: 120)
    desk.press(.home, .enter)
    desk.press("d", after: .seconds(2))
    desk.wait(.seconds(2))
    let before = desk.lines
    for row in 0..<24 {
      for column in [2, 40, 80, 119] {
        let press = MouseEvent(.press, row: row, column: column, isDouble: true)
        #expect(desk.update(.mouse(press, at: desk.now)).isEmpty)
      }
    }
    #expect(desk.lines.dropLast(2) == before.dropLast(2), "\(desk.lines)")
  }
}
