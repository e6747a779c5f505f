// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiWire
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// The console as a menu of lines: its lists, news, and leaving.
@Suite struct ConsoleMenuTests {
  private static let push = ConsoleDesk.request("p1", "git push")

  @Test("the main menu is printed when the servers have answered, and tells what is pending")
  func main() {
    var desk = MenuDesk()
    #expect(desk.printed.isEmpty)
    desk.answer([Self.push], sessions: [ConsoleDesk.session("S", .failed)])
    #expect(
      desk.printed == [
        "main menu", "1 Now, 1 waiting for you", "2 Approvals, 1 pending",
        "3 Work, 1 session, 1 failed", "4 Chat", "5 Schedules", "6 Costs",
        "7 Settings",
        "type a number, or question mark for help, q to leave",
      ]
    )
    desk.type("q")
    #expect(desk.hasLeft)
  }

  @Test("a list that is known to be empty is, also while no server answers")
  func emptyLists() {
    var desk = MenuDesk()
    let failure = FleetView.Failure(message: "no route")
    desk.receive(.looked(ConsoleDesk.studio, .failure(failure)))
    desk.type("5")
    desk.receive(.schedule(.listed([], problems: [])))
    desk.wait(.seconds(1))
    #expect(desk.prints("Schedules: No schedules."), "\(desk.printed)")
    desk.type("0", "3")
    #expect(desk.prints("Work: No server has answered."), "\(desk.printed)")
  }

  @Test("a number typed while a list is read is set aside; going back ends the reading")
  func reading() {
    var desk = MenuDesk.listing(Self.push)
    desk.type("6")
    #expect(desk.type("1", after: .zero).isEmpty)
    #expect(desk.prints("set aside: the list is being read"), "\(desk.printed)")
    desk.type("0", "2")
    #expect(desk.prints("Approvals, 1 in the list"), "\(desk.printed)")
  }

  @Test("a list that is read in two parts is printed once, shortly after the last one")
  func readingInParts() {
    var desk = MenuDesk.listing()
    desk.type("5")
    for _ in 1...2 {
      desk.receive(.schedule(.listed([], problems: [])))
      desk.wait(.milliseconds(399))
      #expect(!desk.prints("Schedules:"), "\(desk.printed)")
    }
    desk.wait(.milliseconds(1))
    desk.wait(.seconds(5))
    #expect(desk.printed.count { $0.hasPrefix("Schedules:") } == 1, "\(desk.printed)")
  }

  // MARK: - Now

  @Test("Now has what waits, runs and has ended, each below its heading, and one number for each")
  func now() {
    var ended = ConsoleDesk.session("E", .idle)
    ended.turn = TurnSummary(end: .finished)
    let sessions = [ended, ConsoleDesk.session("R", .running), ConsoleDesk.session("W", .waiting)]
    var desk = MenuDesk.listing(Self.push, sessions: sessions)
    #expect(desk.type("1") == [.now(.read), .schedule(.read)])
    desk.receive(.own(NowNews(dismissed: DismissedTurns())))
    desk.wait(.seconds(1))
    let lines = ["Waiting for you:", "1 ", "2 ", "Running:", "3 ", "Since you last looked:", "4 "]
    let printed = desk.printed.dropFirst(2).dropLast()
    #expect(zip(printed, lines).allSatisfy { $0.hasPrefix($1) }, "\(desk.printed)")
    #expect(printed.count == lines.count, "\(desk.printed)")
    desk.type("1")
    #expect(desk.prints("call: git push") && desk.prints("4 deny with a reason"))
    desk.type("0", "3")
    #expect(desk.prints("stop the running turn"), "\(desk.printed)")
  }

  @Test("an ended turn is dismissed in Now, and the list is printed without it")
  func dismissal() {
    var ended = ConsoleDesk.session("E", .idle)
    ended.turn = TurnSummary(end: .finished)
    var desk = MenuDesk.listing(sessions: [ended])
    desk.type("1")
    desk.receive(.own(NowNews(dismissed: DismissedTurns())))
    desk.wait(.seconds(1))
    desk.type("1")
    let number = desk.printed.first { $0.hasSuffix(" dismiss") }?.prefix(1)
    #expect(desk.type(String(number ?? "")).count == 1, "\(desk.printed)")
    #expect(desk.prints("reading"), "\(desk.printed)")
    var dismissed = DismissedTurns()
    dismissed.dismiss(
      .init(serverID: ConsoleDesk.studio, sessionID: "E"),
      endedAt: ended.lastActivity
    )
    desk.receive(.own(NowNews(dismissed: dismissed)))
    desk.wait(.seconds(1))
    #expect(desk.prints("Now: Nothing waits for you, and nothing runs."), "\(desk.printed)")
  }

  @Test("a device is revoked, and a rule of a server is removed, after yes")
  func removes() {
    let device = ConsoleDesk.item(
      .device(ConsoleDesk.studio, deviceID: "dev_2"),
      "tablet (dev_2)",
      line: "  tablet (dev_2)"
    )
    let rule = ConsoleDesk.item(
      .rule(ConsoleDesk.studio, ruleID: "r1"),
      "bash git push",
      line: "  rule: allow git push",
      detail: ["Rule of studio", "allow git push, learned"]
    )
    for (item, line, question, details, effect) in [
      (
        device, "1 device tablet (dev_2)", "End the access of tablet (dev_2) to studio?",
        "It must be paired again", ConsoleEffect.settings(.revoke("dev_2", of: ConsoleDesk.studio))
      ),
      (
        rule, "1 rule: allow git push", "Remove this rule from studio?",
        "allow git push, learned", .settings(.removeRule("r1", of: ConsoleDesk.studio))
      ),
    ] {
      var desk = MenuDesk.listing()
      #expect(desk.type("7") == [.settings(.read)])
      desk.receive(.settings([item]))
      desk.wait(.seconds(1))
      #expect(desk.prints(line), "\(desk.printed)")
      desk.type("1", "2")
      #expect(desk.prints(question) && desk.prints(details), "\(desk.printed)")
      #expect(desk.type("yes") == [effect])
    }
  }

  // MARK: - News and leaving

  @Test("what happens meanwhile is printed as news")
  func news() {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .running)])
    desk.type("6")
    desk.wait(.seconds(2))
    desk.answer([Self.push], sessions: [ConsoleDesk.session("S", .failed)])
    #expect(desk.prints("news: waiting for approval: bash: git push; in studio/webapp"))
    #expect(!desk.prints("news: failed"))
    desk.wait(.seconds(1))
    #expect(desk.prints("news: failed: goal of S"), "\(desk.printed)")
    desk.receive(.looked(ConsoleDesk.studio, .failure(.init(message: "down"))))
    desk.wait(.seconds(1))
    #expect(desk.prints("news: studio is unreachable: down"), "\(desk.printed)")
  }

  @Test("the end of a turn is news once, and not for a session that is listed for the first time")
  func newsOnce() {
    var finished = ConsoleDesk.session("A", .idle)
    finished.turn = TurnSummary(end: .finished)
    var earlier = finished
    earlier.id = "B"
    let ends = [
      finished, earlier, ConsoleDesk.session("S", .failed), ConsoleDesk.session("T", .failed),
    ]
    var desk = MenuDesk.listing(sessions: ["A", "S"].map { ConsoleDesk.session($0, .running) })
    desk.type("6")
    for _ in 1...2 {
      desk.wait(.seconds(5))
      desk.answer(sessions: ends)
      for _ in 1...5 { desk.wait(.seconds(1)) }
    }
    let news = desk.printed.filter { $0.hasPrefix("news: ") }
    #expect(
      Set(news) == [
        "news: idle, finished: goal of A; in studio/webapp",
        "news: failed: goal of S; in studio/webapp",
      ] && news.count == 2,
      "\(news)"
    )
  }

  @Test("leaving waits for results, and a second q leaves at once")
  func leaving() {
    for isPatient in [true, false] {
      var desk = MenuDesk.listing(Self.push)
      desk.type("2", "1", "1")
      desk.type("q")
      #expect(!desk.hasLeft && desk.prints("waiting for confirmation"))
      var slow = desk
      slow.wait(.seconds(4))
      #expect(slow.hasLeft && slow.menu.isUnsettled)
      if isPatient { desk.receive(.changeEnded) } else { desk.type("q") }
      #expect(desk.hasLeft && desk.menu.isUnsettled == !isPatient)
    }
  }

  @Test("a line that was begun for a chat is set aside if the chat fails, and selects nothing")
  func failedChat() {
    var desk = MenuDesk.listing(Self.push, sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("4", "1")
    let before = desk.menu.panelCount
    desk.receive(
      .chat(.failed(ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S"), "gone"))
    )
    #expect(desk.prints("gone") && desk.prints("which session?"))
    // The program sets a line aside whenever this changes.
    #expect(desk.menu.panelCount == before + 1)
  }

  @Test("Ctrl-C goes back and decides nothing")
  func interrupts() {
    var desk = MenuDesk.listing(Self.push)
    desk.type("2", "1")
    desk.interrupt()
    #expect(desk.prints("Approvals, 1 in the list"))
    desk.interrupt()
    desk.interrupt()
    #expect(desk.prints("type q to leave") && !desk.hasLeft)
  }
}

/// Lines about what happens while the user types.
@Suite struct NewsLinesTests {
  @Test("the first line is printed at once, and then at most one line a second with a number")
  func bounds() {
    var news = NewsLines()
    #expect(news.add("one", at: .zero) == "news: one")
    #expect(news.add("two", at: .milliseconds(1)) == nil)
    for number in 3...14 { #expect(news.add("\(number)", at: .milliseconds(500)) == nil) }
    #expect(news.woke(at: .milliseconds(999)) == nil)
    #expect(news.woke(at: .seconds(1)) == "news: two; and 12 more")
    #expect(news.woke(at: .seconds(5)) == nil)
    #expect(news.add("late", at: .seconds(6)) == "news: late")
    #expect(news.add("single", at: .seconds(6)) == nil)
    #expect(news.woke(at: .seconds(7)) == "news: single")
  }
}
