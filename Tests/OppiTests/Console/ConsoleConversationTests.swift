// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiText
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiWire

/// The conversation of a session in the console: copying, and the last edit.
@Suite struct ConsoleConversationTests {
  private static let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "s1")

  private static func turn(_ steps: Turn.Step...) -> Turn {
    var turn = Turn()
    turn.prompt = "Do it"
    turn.steps = steps
    return turn
  }

  private static func call(_ tool: String, _ arguments: JSONValue) -> Turn.Step {
    .call(ToolCallActivity(id: tool, tool: tool, arguments: arguments, state: .succeeded))
  }

  /// An open conversation that was read.
  private static func desk(rows: Int = 40, _ turns: Turn...) -> ConsoleDesk {
    var desk = ConsoleDesk(columns: 100, rows: rows)
    desk.answer(sessions: [ConsoleDesk.session("s1", .idle)])
    desk.press("3", .home, .enter)
    let read = WorkNews.conversation(id, turns: TimelineDetail.turnLimit, .success(turns))
    _ = desk.update(.news(.work(read)))
    return desk
  }

  @Test("y copies what is at the top as it was written, and pressed again what follows")
  func copies() {
    let answer = "Run **this**:\n\n```sh\nls\n```"
    var desk = Self.desk(Self.turn(.text(answer), Self.call("bash", ["command": "make all"])))
    #expect(desk.footer.contains("y copy"))
    for text in ["Do it", answer, "ls", "make all", "Do it"] {
      desk.press("y")
      #expect(desk.copied == text)
      #expect(desk.shows("sent to the terminal's clipboard"))
      #expect(desk.footer.contains("y copy the next"))
    }
    desk.press(.down, "y")
    #expect(desk.copied == "Do it", "another key begins at the top again")
  }

  @Test("of a scrolled conversation, y copies what is visible")
  func scrolled() {
    let long = (1...30).map { "line \($0)\n" }.joined(separator: "\n")
    var desk = Self.desk(rows: 12, Self.turn(.text(long), Self.call("bash", ["command": "make"])))
    desk.press("y")
    #expect(desk.copied == long)
    desk.press("y")
    #expect(desk.copied == "make")
    desk.press(.home, "y")
    #expect(desk.copied == "Do it")
  }

  @Test("what a terminal would not take is not copied, and the user is told")
  func refused() {
    var desk = Self.desk(Self.turn(.text("a\u{1B}[31mb")))
    desk.press("y", "y")
    #expect(desk.copied == "Do it" && desk.shows("not copied: too long, or with control"))
    var empty = Self.desk()
    empty.press("y")
    #expect(empty.copied == nil && empty.shows("nothing to copy"))
  }

  @Test("d shows the last edit whole; d or Esc returns", arguments: ["d", "Esc"])
  func edits(key: String) {
    let edit: JSONValue = ["path": "a.swift", "oldText": "let old = 1", "newText": "let new = 2"]
    var desk = Self.desk(Self.turn(Self.call("edit", edit), .text("Done.")))
    #expect(desk.press("d").isEmpty)
    #expect(desk.shows("let old = 1") && desk.shows("let new = 2") && !desk.shows("Done."))
    #expect(desk.footer.contains("Esc back to the conversation"))
    desk.press("y")
    #expect(desk.copied == nil)
    desk.press(key == "Esc" ? .escape : "d")
    #expect(desk.shows("Done."), "\(desk.lines)")
    desk.press(.escape)
    #expect(desk.shows("[All 1]"))
  }

  @Test("without an edit, d says so")
  func noEdit() {
    var desk = Self.desk(Self.turn(.text("Done.")))
    desk.press("d")
    #expect(desk.shows("no edit in the turns that are shown") && desk.shows("Done."))
  }
}
