// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

/// The first tab of the console: what needs the user, what runs and what has ended.
@Suite struct ConsoleNowTests {
  private static func desk(columns: Int = 80, rows: Int = 24) -> ConsoleDesk {
    var desk = ConsoleDesk(columns: columns, rows: rows)
    desk.press("1")
    _ = desk.update(.news(.own(NowNews(dismissed: DismissedTurns()))))
    return desk
  }

  private static func id(_ session: String) -> SessionID {
    SessionID(serverID: ConsoleDesk.studio, sessionID: session)
  }

  private static func ended(_ id: String, _ end: TurnEnd, minutesAgo age: Int) -> SessionStatus {
    var session = ConsoleDesk.session(id, end == .finished ? .idle : .failed)
    session.turn = TurnSummary(failure: end == .finished ? nil : "no such image", end: end)
    session.lastActivity = ConsoleDesk.begin.moved(by: .seconds(-60 * age))
    return session
  }

  private static func answer(_ desk: inout ConsoleDesk) {
    desk.answer(
      [ConsoleDesk.request("q", "rm -rf build", session: "s1")],
      sessions: [
        ConsoleDesk.session("s1", .waiting), ConsoleDesk.session("s2", .waiting),
        ConsoleDesk.session("s3", .running), ended("s4", .failed, minutesAgo: 8),
        ended("s5", .finished, minutesAgo: 60),
      ]
    )
  }

  @Test("each block has a heading with its number, and a session is listed once")
  func blocks() {
    var desk = Self.desk(columns: 100, rows: 24)
    Self.answer(&desk)
    #expect(
      Self.headings(desk) == ["Waiting for you · 2", "Running · 1", "Since you last looked · 2"]
    )
    let rows = desk.lines.filter { $0.contains("goal of") || $0.contains("rm -rf build") }
    #expect(
      rows.map { $0.dropFirst(2).prefix { $0 != " " } } == ["!", "!", "▶", "✗", "✓"],
      "\(desk.lines)"
    )
    #expect(!desk.shows("goal of s1") && desk.shows("no such image"))
    #expect(desk.lines[0].contains("[1 Now (2)]"))
  }

  private static func headings(_ desk: ConsoleDesk) -> [String] {
    desk.lines.filter { $0.hasPrefix("── ") }.map { line in
      line.filter { $0 != "─" }.split(separator: " ").joined(separator: " ")
    }
  }

  @Test("a row whose turn ends keeps its place and its heading until the list is sorted")
  func endsInPlace() {
    var desk = Self.desk(columns: 100, rows: 24)
    let sessions = ["s1", "s2", "s3"].map { ConsoleDesk.session($0, .running) }
    desk.answer(sessions: sessions)
    desk.press(.down)
    let second = desk.cursorLine.contains("goal of s1") ? "s1" : "s2"
    let others = sessions.filter { $0.id != second }
    desk.answer(sessions: others + [Self.ended(second, .finished, minutesAgo: 0)])
    #expect(desk.cursorLine.contains("✓ finished") && desk.cursorLine.contains("goal of \(second)"))
    #expect(Self.headings(desk) == ["Running · 2"], "\(desk.lines)")
    desk.answer(
      sessions: others + [
        Self.ended(second, .finished, minutesAgo: 0), ConsoleDesk.session("s4", .running),
      ]
    )
    #expect(Self.headings(desk) == ["Running · 2", "New · 1"], "\(desk.lines)")
    desk.press(.home)
    #expect(Self.headings(desk) == ["Running · 3", "Since you last looked · 1"], "\(desk.lines)")
  }

  @Test("new rows are announced while they are below, as long as there is no other notice")
  func announced() {
    var desk = Self.desk(rows: 24)
    Self.answer(&desk)
    desk.press(.down)
    let sessions = (0..<40).map { ConsoleDesk.session("n\($0)", .running) }
    desk.answer([ConsoleDesk.request("p", "make", session: "n1")], sessions: sessions)
    #expect(desk.shows("40 new below, Home: sort"), "\(desk.lines)")
    desk.press(.home)
    #expect(!desk.shows("new below"))
  }

  @Test("a request of a server that does not answer is doubtful", arguments: ["1", "2"])
  func lost(tab: String) {
    var desk = Self.desk(columns: 100, rows: 24)
    Self.answer(&desk)
    desk.press(.text(tab), .home)
    #expect(desk.cursorLine.contains("! approve"))
    let lost = FleetView.Failure(message: "no route")
    _ = desk.update(.news(.looked(ConsoleDesk.studio, .failure(lost))))
    #expect(desk.cursorLine.contains("? approve"), "\(desk.lines)")
  }

  @Test("a decided request is not counted any more, and its row keeps its place")
  func decided() {
    var desk = Self.desk(columns: 100, rows: 24)
    Self.answer(&desk)
    desk.press(.home)
    #expect(Self.headings(desk).first == "Waiting for you · 2")
    desk.press(.enter)
    _ = desk.choose("d")
    let request = ConsoleDesk.request("q", "rm -rf build", session: "s1")
    _ = desk.update(.news(.replied(.decision(.deny), request, .decided, text: "denied")))
    #expect(Self.headings(desk).first == "Waiting for you · 1", "\(desk.lines)")
    #expect(desk.shows("✗ denied"))
  }

  @Test(
    "the list uses all rows, and the selected row is on the screen",
    arguments: [16, 20, 24, 33]
  )
  func usesAllRows(rows: Int) {
    var desk = Self.desk(columns: 80, rows: rows)
    let phases: [SessionPhase] = [.waiting, .running]
    let sessions = (0..<40).map { ConsoleDesk.session("s\($0)", phases[$0 % 2]) }
    desk.answer(
      sessions: sessions + (0..<20).map { Self.ended("e\($0)", .finished, minutesAgo: $0) }
    )
    desk.press(.home)
    for key in Array(repeating: Key.down, count: 59) + Array(repeating: Key.up, count: 59) {
      desk.press(key)
      #expect(desk.cursorLine.hasPrefix("▸"), "\(desk.lines)")
      let list = desk.lines.dropFirst().dropLast(2)
      // A heading without an item below it is not shown.
      #expect(list.count { $0.allSatisfy { $0 == " " } } <= 1, "\(desk.lines)")
    }
  }

  @Test("a small screen has no headings, and every row has its sign and word")
  func small() {
    var desk = Self.desk(columns: 40, rows: 12)
    Self.answer(&desk)
    #expect(!desk.lines.contains { $0.hasPrefix("── ") })
    for words in ["! approve", "! waiting", "▶ running", "✗ failed", "✓ finished"] {
      #expect(desk.lines.contains { $0.dropFirst(2).hasPrefix(words) }, "\(words): \(desk.lines)")
    }
  }

  @Test("a failure is not hidden by many successes after it")
  func failuresFirst() {
    var desk = Self.desk()
    let successes = (0..<40).map { Self.ended("s\($0)", .finished, minutesAgo: $0) }
    desk.answer(sessions: successes + [Self.ended("bad", .failed, minutesAgo: 300)])
    desk.press(.home)
    #expect(desk.cursorLine.contains("goal of bad"), "\(desk.lines)")
    desk.press(.down)
    #expect(desk.cursorLine.contains("goal of s0 "), "\(desk.lines)")
  }

  @Test("ages grow without moving the columns beside them", arguments: ["1", "3"])
  func steady(tab: String) {
    var desk = Self.desk(columns: 110)
    desk.press(.text(tab))
    func columns() -> [Int?] {
      desk.answer(sessions: [ConsoleDesk.session("s3", .running)])
      let row = desk.lines.first { $0.contains("running") && $0.contains("goal of s3") } ?? ""
      return ["running", "goal of s3", "│"].map { text in
        row.firstRange(of: text).map { row[..<$0.lowerBound].count }
      }
    }
    let start = columns()
    #expect(!start.contains(nil), "\(desk.lines)")
    for pause in [Duration.seconds(12), .seconds(60), .seconds(660), .seconds(3600)] {
      desk.wait(pause)
      #expect(columns() == start, "\(pause): \(desk.lines)")
    }
  }

  @Test("an empty list on a wide screen has no line beside it")
  func alone() {
    var desk = Self.desk(columns: 120)
    desk.answer()
    #expect(desk.shows("Nothing waits for you") && !desk.shows("│"), "\(desk.lines)")
    Self.answer(&desk)
    #expect(desk.shows("│"))
  }

  @Test("the detail of an open request names its state once")
  func stateOnce() {
    var desk = Self.desk(columns: 120)
    Self.answer(&desk)
    desk.press(.home)
    #expect(desk.shows("studio/webapp") && desk.shows("10 min left"), "\(desk.lines)")
    #expect(desk.lines.count { $0.contains("waiting for approval") } == 1, "\(desk.lines)")
  }

  @Test("Enter opens what the row is about: the request, or the conversation")
  func opens() {
    var desk = Self.desk()
    Self.answer(&desk)
    desk.press(.home, .enter)
    #expect(desk.shows("rm -rf build") && desk.shows("a allow once"))
    _ = desk.choose("d")
    #expect(desk.cursorLine.contains("goal of s2"), "the next one that waits: \(desk.lines)")
    desk.press(.down)
    #expect(desk.press(.enter) == [.work(.read(Self.id("s3"), turns: TimelineDetail.turnLimit))])
  }

  @Test("x dismisses one ended turn and X all of them, until the sessions change again")
  func dismisses() {
    var desk = Self.desk()
    Self.answer(&desk)
    desk.press(.end)
    #expect(desk.cursorLine.contains("goal of s5"))
    let end = { minutes in ConsoleDesk.begin.moved(by: .seconds(-60 * minutes)) }
    #expect(desk.press("x") == [.now(.dismiss([Self.id("s5"): end(60)]))])
    let all = [Self.id("s4"): end(8), Self.id("s5"): end(60)]
    #expect(desk.press("X") == [.now(.dismiss(all))])
    var dismissed = DismissedTurns()
    for (id, end) in all { dismissed.dismiss(id, endedAt: end) }
    let read = ConsoleNews.own(NowNews(dismissed: DismissedTurns()))
    _ = desk.update(.news(read))
    #expect(!desk.shows("dismissed;"), "it was only read again")
    _ = desk.update(.news(.own(NowNews(dismissed: dismissed))))
    #expect(desk.shows("dismissed; Home sorts the list"))
    desk.press(.home)
    #expect(!desk.shows("Since you last looked") && !desk.shows("goal of s4"))
    desk.answer(sessions: [Self.ended("s4", .failed, minutesAgo: 7)])
    desk.press(.home)
    #expect(desk.shows("goal of s4"), "it has ended again")
  }

  @Test("nothing is dismissed where nothing has ended, and before it is known what is dismissed")
  func unknown() {
    var desk = ConsoleDesk()
    desk.press("1")
    Self.answer(&desk)
    #expect(!desk.shows("goal of s4"))
    desk.press(.home)
    #expect(desk.press("x", "X").isEmpty)
  }

  @Test("with nothing to do it says so, and how to ask")
  func empty() {
    var desk = Self.desk()
    desk.answer()
    #expect(desk.shows("Nothing waits for you, and nothing runs.") && desk.shows("n: new prompt"))
  }
}
