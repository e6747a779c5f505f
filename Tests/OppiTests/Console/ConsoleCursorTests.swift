// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// The cursor of the console, which is the focus of screen readers and Braille displays.
@Suite struct ConsoleCursorTests {
  /// Narrow screens show either the list or the detail, wide ones both.
  private static let widths = [60, 200]

  private static func desk(_ columns: Int, tab: String) -> ConsoleDesk {
    var desk = ConsoleDesk(columns: columns)
    desk.answer(
      [ConsoleDesk.request("p1", "echo 1"), ConsoleDesk.request("p2", "echo 2")],
      sessions: [ConsoleDesk.session("A", .running), ConsoleDesk.session("B", .idle)]
    )
    desk.press(.text(tab))
    let devices = ["dev_1", "dev_2"].map { id in
      ConsoleDesk.item(.device(ConsoleDesk.studio, deviceID: id), id, line: "  \(id)")
    }
    _ = desk.update(.news(.settings(devices)))
    return desk
  }

  @Test(
    "in a list the cursor stands on the selected row, which is also marked",
    arguments: widths,
    [("2", "echo 2"), ("3", "goal of B"), ("7", "dev_2")]
  )
  func lists(columns: Int, row: (tab: String, text: String)) {
    var desk = Self.desk(columns, tab: row.tab)
    desk.press(.down, .down)
    #expect(desk.cursorLine.hasPrefix("▸") && desk.cursorLine.contains(row.text), "\(desk.lines)")
  }

  @Test("a selected item that is gone keeps its row and the cursor", arguments: widths)
  func gone(columns: Int) {
    var desk = Self.desk(columns, tab: "7")
    desk.press(.down)
    _ = desk.update(.news(.settings([])))
    #expect(desk.cursorLine.hasPrefix("▸ no longer listed"), "\(desk.lines)")
  }

  @Test("a question has the cursor on the selected choice", arguments: widths)
  func questions(columns: Int) {
    var stop = Self.desk(columns, tab: "3")
    stop.press(.home, .text("s"))
    #expect(stop.cursorLine.contains("▸n cancel"), "\(stop.lines)")
    stop.press(.text("y"), after: .seconds(2))
    #expect(stop.cursorLine.contains("▸y stop"), "\(stop.lines)")
    var revoke = Self.desk(columns, tab: "7")
    revoke.press(.down, .text("D"))
    #expect(revoke.cursorLine.contains("▸n cancel"), "\(revoke.lines)")
  }

  @Test("text that is typed has the cursor", arguments: widths)
  func texts(columns: Int) {
    var filter = Self.desk(columns, tab: "2")
    filter.press(.text("/"), .text("e"))
    #expect(filter.cursorLine.contains("/e"), "\(filter.lines)")
    var reply = Self.desk(columns, tab: "3")
    reply.press(.down, .text("r"), .text("go on"))
    #expect(reply.cursorLine.contains("› go on"), "\(reply.lines)")
    var form = Self.desk(columns, tab: "5")
    form.press(.text("n"), .text("nightly"))
    #expect(form.cursorLine.contains("shortcut › nightly"), "\(form.lines)")
  }

  @Test(
    "a field for one line stays on one line, whatever is pasted into it",
    arguments: [
      ("2", ["/"], "/"), ("3", [":"], ":"), ("3", ["e", .control("u")], "› "),
      ("3", ["n"], "workspace › "), ("5", ["n"], "shortcut › "), ("3", ["?"], "find › "),
    ] as [(String, [Key], String)]
  )
  func oneLine(tab: String, keys: [Key], prompt: String) {
    var desk = Self.desk(120, tab: tab)
    for key in [.down] + keys { desk.press(key) }
    desk.press(.paste("one\r\ntwo\n"), .newline)
    desk.press("x")
    #expect(desk.cursorLine.contains("\(prompt)one twox"), "\(desk.lines)")
  }

  @Test("a long paste into a message is shown as a placeholder, and sent whole")
  func folds() {
    var desk = Self.desk(80, tab: "3")
    desk.press(.home, "r")
    let text = (1...200).map { "line \($0)" }.joined(separator: "\n")
    desk.press(.paste(text))
    #expect(desk.cursorLine.contains("[pasted: 200 lines]"), "\(desk.lines)")
    #expect(desk.footer.contains("Ctrl-O show the pasted text"))
    let sent = desk.press(.enter, after: .seconds(2)).compactMap { effect in
      if case .send(let text, to: _) = effect { text } else { nil }
    }
    #expect(sent == [text])
  }

  @Test("a request has the cursor on its first row, and then on the selected choice")
  func request() {
    for columns in Self.widths {
      var desk = Self.desk(columns, tab: "2")
      desk.press(.down, .enter)
      #expect(desk.cursorLine.contains("waiting for approval: bash"), "\(desk.lines)")
      desk.press(.text("d"), after: .seconds(2))
      #expect(desk.cursorLine.contains("▸d deny"), "\(desk.lines)")
    }
  }
}
