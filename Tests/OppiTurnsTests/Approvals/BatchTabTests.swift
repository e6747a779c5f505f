// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

extension ConsoleDesk {
  /// The screen of `oppi approvals --decide`.
  static func batch(columns: Int = 80, rows: Int = 24) -> ConsoleDesk {
    let tab = ListTab(ApprovalsSource(marks: BatchMarks()))
    return ConsoleDesk(columns: columns, rows: rows, tabs: [tab])
  }

  var batch: ListTab<ApprovalsSource>? { screen.tabs.first as? ListTab<ApprovalsSource> }

  var marks: BatchMarks? { batch?.source.marks }

  /// The request that is open.
  var opened: RequestDetail? { batch?.page as? RequestDetail }

  /// The question before the marks are sent.
  var confirmation: BatchQuestion? { batch?.page as? BatchQuestion }

  func mark(_ id: String) -> String? {
    let request = ListedRequest.ID(serverID: Self.studio, sessionID: "S", requestID: id)
    return marks?[request]?.word
  }

  /// The requests that were confirmed, with their marks.
  var confirmed: [String] {
    confirmation?.confirmed.map { "\($0.word) \($0.request.id.requestID)" } ?? []
  }

  /// A yes-or-no dialog.
  static func confirmation(_ id: String, kind: String = "confirm") -> ListedRequest {
    var question = UserQuestion.sample(
      kind,
      [
        "title": "Proceed?", "message": "This changes files", "sessionId": "S",
        "options": ["Yes", "No"],
      ],
      id: id
    )
    question.sessionID = "S"
    return listed(.question(question))
  }

  /// Opens the selected request and marks it by a letter, with the pauses of a careful user.
  mutating func markOpened(_ letter: String) {
    press(.enter, after: .seconds(1))
    _ = choose(letter)
  }
}

/// Decisions on several requests: each is read before it is marked allow, and nothing is sent before
/// the confirmation.
@Suite struct BatchTabTests {
  private func desk(_ commands: String..., columns: Int = 80, rows: Int = 24) -> ConsoleDesk {
    var desk = ConsoleDesk.batch(columns: columns, rows: rows)
    desk.answer(
      zip(["a", "b", "c", "d"], commands).map { id, command in
        ConsoleDesk.request(id, command)
      }
    )
    return desk
  }

  @Test("requests are opened and marked one by one, and sent together after the confirmation")
  func sends() {
    var desk = desk("git push", "git fetch", "git tag x")
    desk.press(.home)
    desk.markOpened("a")
    #expect(desk.cursorLine.hasPrefix("▸ allow") && desk.shows("marked: allow"))
    desk.press(.down, "d")
    #expect(desk.cursorLine.hasPrefix("▸ deny") && desk.shows("allow 1, deny 1, leave 1"))
    desk.press("s")
    #expect(desk.shows("Send: allow 1, deny 1, leave 1?") && desk.shows("allow  bash: git push"))
    desk.press("y", after: .seconds(1))
    #expect(desk.confirmed.isEmpty)
    #expect(desk.press(.enter, after: .milliseconds(300)) == [.leave])
    #expect(desk.confirmed == ["allow a", "deny b"])
  }

  @Test("a confirmation without room for all requests counts the others")
  func others() {
    var desk = desk("one", "two", "three", "four", rows: 8)
    for _ in 1...4 { desk.press("d", .down) }
    desk.press("s")
    #expect(desk.shows("Send: allow 0, deny 4, leave 0?"), "\(desk.lines)")
    #expect(desk.shows("and 2 more"), "\(desk.lines)")
  }

  @Test("a call that does not fit is marked allow only after all of it was on the screen")
  func long() {
    let command = (0..<200).map { "echo \($0)" }.joined(separator: "\n")
    for (columns, rows) in [(40, 12), (80, 24), (200, 50)] {
      var desk = desk(command, columns: columns, rows: rows)
      desk.press(.down)
      desk.markOpened("a")
      #expect(desk.mark("a") == nil && desk.shows("scroll through all of it"), "\(columns)x\(rows)")
      desk.press(.end, after: .seconds(2))
      _ = desk.choose("a")
      #expect(desk.mark("a") == nil, "the middle was not shown")
      for _ in 0..<100 { desk.press(.pageUp, after: .milliseconds(20)) }
      _ = desk.choose("a")
      #expect(desk.mark("a") == "allow", "\(columns)x\(rows)")
    }
  }

  @Test("an Enter that is pressed twice for a mark does not open the request again")
  func doublePress() {
    var desk = desk("git push", "git fetch")
    desk.press(.home)
    desk.markOpened("a")
    desk.press(.enter, after: .milliseconds(499))
    #expect(desk.mark("a") == "allow" && desk.batch?.takesAllKeys == false)
    desk.press(.enter, after: .milliseconds(1))
    #expect(desk.batch?.takesAllKeys == true)
  }

  @Test("the panel offers no approval of more than this call, and no reason")
  func offers() {
    var desk = desk("git push")
    desk.press(.down, .enter)
    desk.wait(.seconds(1))
    #expect(desk.shows("a allow once") && desk.shows("d deny"))
    #expect(!desk.shows("session") && !desk.shows("reason"))
    for letter in ["s", "r"] {
      _ = desk.choose(letter)
      #expect(desk.mark("a") == nil && desk.opened != nil, "\(letter)")
    }
  }

  @Test("u removes a mark, and no key of the list marks a request allow")
  func keys() {
    var desk = desk("git push", "git fetch")
    for key in "aAyY *+x" { desk.press(.down, .text(String(key)), after: .seconds(1)) }
    #expect(desk.mark("a") == nil && desk.mark("b") == nil)
    desk.press(.home, "d")
    #expect(desk.mark("a") == "deny" && desk.mark("b") == nil)
    desk.press("u")
    #expect(desk.mark("a") == nil)
    desk.press("s", after: .seconds(1))
    #expect(desk.confirmation == nil, "there is nothing to send")
  }

  @Test("the mark of a request that changes, ends or expires is dropped, and shown as dropped")
  func drops() {
    for end in ["changes", "ends", "expires"] {
      var desk = ConsoleDesk.batch()
      let other = ConsoleDesk.request("b", "git fetch", expires: nil)
      desk.answer([ConsoleDesk.request("a", "git push", expires: 100), other])
      desk.press(.home)
      desk.markOpened("a")
      #expect(desk.mark("a") == "allow")
      desk.press("s")
      desk.press("y", after: .seconds(1))
      switch end {
      case "changes": desk.answer([ConsoleDesk.request("a", "rm -rf /", expires: 100), other])
      case "ends": desk.answer([other])
      default: desk.wait(.seconds(100))
      }
      #expect(desk.confirmation == nil && desk.shows("mark dropped"), "\(end)")
      #expect(desk.press(.enter, after: .seconds(1)).isEmpty, "\(end)")
      #expect(desk.confirmed.isEmpty && desk.mark("a") == nil, "\(end)")
      desk.press(.escape)
      #expect(desk.cursorLine.hasPrefix("▸ dropped"), "\(end)")
    }
  }

  @Test("a mark is dropped at the second in which its request expires, and only that one")
  func expires() {
    var desk = ConsoleDesk.batch()
    let other = ConsoleDesk.request("b", "git fetch", expires: nil)
    desk.answer([ConsoleDesk.request("a", "git push", expires: 100), other])
    desk.press(.down, "d", .up)
    desk.markOpened("a")
    desk.wait(.seconds(99) - desk.now)
    #expect(desk.mark("a") == "allow" && desk.mark("b") == "deny")
    desk.wait(.seconds(1))
    #expect(desk.mark("a") == nil && desk.mark("b") == "deny")
  }

  @Test("the confirmation counts after a second, with nothing selected")
  func confirmation() {
    var desk = desk("git push", "git fetch")
    desk.press(.down, "d", "s")
    #expect(desk.press("y", .enter, after: .milliseconds(900)).isEmpty)
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty && desk.shows("nothing is selected"))
    desk.press("y", after: .seconds(1))
    #expect(desk.press(.enter, after: .milliseconds(100)).isEmpty, "not seen as selected")
    #expect(desk.confirmed.isEmpty)
  }

  @Test("another size of the window makes a new question: nothing is selected, and keys wait")
  func resized() {
    var desk = desk("git push")
    desk.press(.down, "d", "s")
    desk.press("y", after: .seconds(1))
    #expect(desk.cursorLine.contains("▸y send"))
    desk.resize(columns: 79, rows: 24)
    #expect(!desk.shows("▸y send"))
    #expect(desk.press("y", .enter, after: .milliseconds(900)).isEmpty, "the gate is closed")
    #expect(desk.shows(BatchQuestion.tooEarly))
    #expect(desk.press(.enter, after: .seconds(1)).isEmpty && desk.shows("nothing is selected"))
    #expect(desk.confirmed.isEmpty)
    desk.press("y", after: .seconds(1))
    #expect(desk.press(.enter, after: .seconds(1)) == [.leave])
  }

  @Test("after a mark is dropped, the confirmation starts again with the other marks")
  func restarts() {
    var desk = desk("git push", "git fetch")
    desk.press("d", .down, "d", "s")
    desk.press("y", after: .seconds(1))
    desk.answer([ConsoleDesk.request("b", "git fetch")])
    #expect(desk.press(.enter, after: .milliseconds(500)).isEmpty && desk.confirmed.isEmpty)
    #expect(desk.shows("Send: allow 0, deny 1, leave 0?"))
    desk.press("y", after: .seconds(1))
    #expect(desk.press(.enter, after: .seconds(1)) == [.leave] && desk.confirmed == ["deny b"])
  }

  @Test("a new request restarts the confirmation, and does not move the rows")
  func arrivals() {
    var desk = desk("git push", "git fetch")
    desk.press(.home, "d", "s")
    desk.press("y", after: .seconds(2))
    desk.answer([
      ConsoleDesk.request("c", "rm -rf /"), ConsoleDesk.request("a", "git push"),
      ConsoleDesk.request("b", "git fetch"),
    ])
    #expect(desk.shows("Send: allow 0, deny 1, leave 2?"))
    #expect(desk.press(.enter, after: .seconds(1)).isEmpty && desk.confirmed.isEmpty)
    desk.press(.escape)
    #expect(desk.cursorLine.hasPrefix("▸ deny") && desk.lines.contains { $0.hasPrefix("+ ") })
    desk.press("s")
    desk.press("y", after: .seconds(1))
    #expect(desk.press(.enter, after: .seconds(1)) == [.leave] && desk.confirmed == ["deny a"])
  }

  @Test("n, Esc and Ctrl-C leave the confirmation, and q leaves without sending, the second time")
  func leaves() {
    for key: Key in [.text("n"), .escape, .control("c")] {
      var desk = desk("git push")
      desk.press(.down, "d", "s")
      desk.press(key, after: .seconds(2))
      if key == .text("n") { desk.press(.enter, after: .seconds(1)) }
      #expect(desk.confirmation == nil && desk.shows("nothing was sent"))
      #expect(desk.press("q").isEmpty && desk.shows("press q again"))
      #expect(desk.press("q") == [.leave] && desk.confirmed.isEmpty)
    }
  }

  @Test("another key takes back the first q, so that marks are discarded only by two in a row")
  func leavesAnew() {
    var desk = desk("git push", "git fetch")
    desk.press(.down, "d", "q", .down)
    #expect(desk.press("q").isEmpty && desk.shows("press q again"))
    #expect(desk.press("q") == [.leave])
  }

  @Test("a window that is too small for the confirmation confirms nothing")
  func small() {
    var desk = desk("git push", columns: 12, rows: 5)
    desk.press(.down, "d", "s")
    desk.press("y", after: .seconds(2))
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty && desk.confirmed.isEmpty)
    desk.resize(columns: 40, rows: 12)
    desk.press("y", after: .milliseconds(500))
    #expect(desk.press(.enter, after: .milliseconds(500)).isEmpty, "it was not shown for 1 s")
    desk.press("y", after: .seconds(2))
    #expect(desk.press(.enter, after: .seconds(1)) == [.leave])
  }

  @Test("the question of a gate is marked with one of its options, which the confirmation shows")
  func gate() {
    var desk = ConsoleDesk.batch()
    desk.answer([ConsoleDesk.confirmation("q", kind: "select")])
    desk.press(.down, .enter)
    desk.press("1", after: .seconds(2))
    desk.press(.enter, after: .seconds(1))
    #expect(desk.mark("q") == "allow", "\(desk.lines)")
    #expect(desk.shows("allow 1, deny 0, leave 0"), "\(desk.lines)")
    desk.press("s")
    #expect(desk.shows("allow  'Yes'"), "\(desk.lines)")
  }

  @Test("a filter hides requests, but no mark: the question shows and counts all of them")
  func filters() {
    var desk = desk("git push", "git fetch", "git tag x")
    desk.press(.home, "d")
    desk.press("/", "fetch", .enter)
    #expect(!desk.shows("bash: git push") && desk.shows("bash: git fetch"))
    #expect(desk.shows("allow 0, deny 1, leave 2"), "\(desk.lines)")
    desk.press("s")
    #expect(desk.shows("Send: allow 0, deny 1, leave 2?") && desk.shows("deny  bash: git push"))
  }

  @Test("without the other tabs, a second slash searches nothing")
  func searches() {
    var desk = desk("git push")
    #expect(desk.press("/", "/push", .enter).isEmpty && desk.shows("bash: git push"))
  }

  @Test("the cursor stands on the selected row and on the selected choice")
  func cursor() {
    var desk = desk("git push", "git fetch")
    desk.press(.down, .down)
    #expect(desk.cursorLine.contains("git fetch"))
    desk.press("d", "s")
    #expect(desk.cursorLine.hasPrefix("Send:"))
    desk.press("n", after: .seconds(1))
    let column = desk.view.cursor?.column ?? 0
    #expect(Array(desk.cursorLine)[column] == "▸" && desk.cursorLine.contains("▸n cancel"))
  }
}
