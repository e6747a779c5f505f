// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiWire
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// The console as a menu of lines.
@Suite struct ConsoleMenuTests {
  private static let push = ConsoleDesk.request("p1", "git push")
  private static let remove = ConsoleDesk.request("p2", "rm -rf build")

  private static func desk(
    _ requests: ListedRequest...,
    sessions: [SessionStatus] = [],
    isReadOnly: Bool = false
  ) -> MenuDesk {
    var desk = MenuDesk(isReadOnly: isReadOnly)
    desk.answer(requests, sessions: sessions)
    return desk
  }

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
    var desk = Self.desk(Self.push)
    desk.type("6")
    #expect(desk.type("1", after: .zero).isEmpty)
    #expect(desk.prints("set aside: the list is being read"), "\(desk.printed)")
    desk.type("0", "2")
    #expect(desk.prints("Approvals, 1 in the list"), "\(desk.printed)")
  }

  @Test("a list that is read in two parts is printed once, shortly after the last one")
  func readingInParts() {
    var desk = Self.desk()
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
    var desk = Self.desk(Self.push, sessions: sessions)
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
    var desk = Self.desk(sessions: [ended])
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

  // MARK: - Requests

  @Test("a request is read in full and allowed by its number")
  func allows() {
    var desk = Self.desk(Self.push, Self.remove)
    desk.type("2")
    // The highest risk comes first.
    #expect(desk.printed[1].hasPrefix("1 deletes data: bash: rm -rf build"), "\(desk.printed)")
    #expect(desk.printed[2].hasPrefix("2 sends data: bash: git push"), "\(desk.printed)")
    desk.type("2")
    #expect(desk.prints("call: git push") && desk.prints("4 deny with a reason"))
    #expect(desk.type("1", after: .milliseconds(900)).isEmpty)
    #expect(desk.prints("not decided: typed less than 1 second after"))
    #expect(desk.type("1") == [.reply(.decision(.allow), to: Self.push, because: nil)])
    #expect(desk.prints("waiting for confirmation"))
    // The numbers of the list do not count until it is printed again.
    #expect(desk.type("1").isEmpty && desk.prints("no choice '1'"))
  }

  @Test("a request is denied with a reason, and a question is answered part by part")
  func denies() {
    var desk = Self.desk(Self.push)
    desk.type("2", "1", "4")
    #expect(
      desk.type("use staging") == [
        .reply(.decision(.deny), to: Self.push, because: "use staging")
      ]
    )
  }

  @Test("an empty line and 0 leave a request without a decision")
  func leaves() {
    for line in ["", "0"] {
      var desk = Self.desk(Self.push)
      desk.type("2", "1")
      #expect(desk.type(line).isEmpty)
      #expect(desk.prints("Approvals, 1 in the list"), "\(line)")
    }
  }

  @Test("a number of an item that has changed is refused, and the list is printed again")
  func changedItem() {
    var desk = Self.desk(Self.push, Self.remove)
    desk.type("2")
    desk.answer([Self.push])
    #expect(desk.type("1").isEmpty)
    #expect(desk.prints("1 has changed meanwhile; nothing was done"))
    #expect(desk.prints("1 sends data: bash: git push"), "\(desk.printed)")
    desk.answer([ConsoleDesk.request("p1", "git push --force")])
    desk.type("1")
    #expect(desk.prints("1 has changed meanwhile") && desk.prints("git push --force"))
  }

  @Test("a number stays with its item while other items arrive")
  func numbers() {
    var desk = Self.desk(Self.push)
    desk.type("2")
    // The new request would be the first of a new list.
    desk.answer([Self.push, Self.remove])
    desk.type("1")
    #expect(desk.prints("call: git push"), "\(desk.printed)")
  }

  @Test("an open request that changes must be read again, and one that ends cannot be decided")
  func changedRequest() {
    var desk = Self.desk(Self.push)
    desk.type("2", "1")
    desk.wait(.seconds(5))
    desk.answer([ConsoleDesk.request("p1", "git push --force")])
    #expect(desk.prints("the request has changed") && desk.prints("call: git push --force"))
    #expect(desk.type("1", after: .milliseconds(500)).isEmpty)
    desk.answer([])
    #expect(desk.prints("no longer pending: decided elsewhere or gone"), "\(desk.printed)")
    #expect(desk.type("1").isEmpty)
    #expect(desk.prints("Approvals"))
  }

  @Test("a request that expires while it is read cannot be decided")
  func expires() {
    var desk = Self.desk(ConsoleDesk.request("p1", "git push", expires: 10))
    desk.type("2", "1")
    desk.wait(.seconds(20))
    #expect(desk.prints("no longer pending: expired"), "\(desk.printed)")
    #expect(desk.type("1").isEmpty)
  }

  @Test("with --read-only a request has no choices, and nothing can be changed")
  func readOnly() {
    let sessions = [ConsoleDesk.session("S", .running)]
    var desk = Self.desk(Self.push, sessions: sessions, isReadOnly: true)
    #expect(desk.printed.first == "main menu, read-only")
    desk.type("2", "1")
    #expect(desk.prints("git push") && !desk.prints("allow once"))
    #expect(desk.type("1").isEmpty)
    desk.type("0", "3", "1")
    #expect(desk.prints("1 peek") && !desk.prints("stop") && !desk.prints("reply"))
    desk.type("0", "0", "4")
    #expect(desk.prints("the chat is off with --read-only"))
  }

  @Test("a request is printed again after Ctrl-Z, and needs a second of its own")
  func suspendedRequest() {
    var desk = Self.desk(Self.push)
    desk.type("2", "1")
    desk.wait(.seconds(2))
    desk.suspend()
    #expect(desk.prints("call: git push") && desk.prints("1 allow once"), "\(desk.printed)")
    #expect(desk.type("1", after: .milliseconds(999)).isEmpty && desk.prints("not decided"))
    #expect(desk.type("1") == [.reply(.decision(.allow), to: Self.push, because: nil)])
  }

  @Test("a change is asked about again after Ctrl-Z, and needs a second of its own")
  func suspendedChange() {
    var desk = Self.desk(sessions: [ConsoleDesk.session("S", .running)])
    desk.type("3", "1", "4")
    desk.wait(.seconds(2))
    desk.suspend()
    #expect(desk.printed.last == "type yes; anything else cancels", "\(desk.printed)")
    #expect(desk.type("yes", after: .milliseconds(900)).isEmpty && desk.prints("typed too early"))
    desk.type("4")
    desk.suspend()
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S")
    #expect(desk.type("yes") == [.work(.stop(id))])
  }

  // MARK: - Work

  @Test("the last turn is read, a message is sent, and a turn is stopped after yes")
  func work() {
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S")
    var desk = Self.desk(sessions: [ConsoleDesk.session("S", .running)])
    desk.type("3")
    #expect(desk.prints("1 running: goal of S; in studio/webapp; "), "\(desk.printed)")
    #expect(desk.type("1", "1") == [.work(.read(id, turns: 1))])
    desk.receive(.work(.conversation(id, turns: TimelineDetail.turnLimit, .success([]))))
    #expect(desk.prints("no turns yet"))
    #expect(desk.type("3").isEmpty && desk.prints("type the message"))
    #expect(desk.type("3", after: .milliseconds(500)).isEmpty && desk.prints("typed too early"))
    #expect(desk.type("go on") == [.send("go on", to: id)])
    #expect(desk.type("4").isEmpty && desk.prints("type yes; anything else cancels"))
    #expect(desk.type("y").isEmpty && desk.prints("nothing was changed"))
    desk.type("4")
    #expect(desk.type("yes", after: .milliseconds(900)).isEmpty, "before it could be read")
    desk.type("4")
    #expect(desk.type("yes") == [.work(.stop(id))])
  }

  @Test("a message that was not sent is offered again")
  func drafts() {
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S")
    var desk = Self.desk(sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("3", "1", "3", "go on")
    desk.receive(.unsent("go on", to: id))
    desk.type("3")
    #expect(desk.prints("not sent before: go on; ! sends it"), "\(desk.printed)")
    #expect(desk.type("!") == [.send("go on", to: id)])
  }

  @Test("an unsent message stays offered after another message was sent")
  func keptDraft() {
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S")
    var desk = Self.desk(sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("3", "1", "3", "go on")
    desk.receive(.unsent("go on", to: id))
    desk.type("3")
    #expect(desk.type("something else") == [.send("something else", to: id)])
    desk.type("3")
    #expect(desk.type("!") == [.send("go on", to: id)])
  }

  @Test("an exclamation mark is a message if none was unsent")
  func noDraft() {
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S")
    var desk = Self.desk(sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("3", "1", "3")
    #expect(desk.type("!") == [.send("!", to: id)])
  }

  @Test("turns are printed once for each time that they were wanted")
  func readOnce() {
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S")
    var desk = Self.desk(sessions: [ConsoleDesk.session("S", .idle)])
    desk.type("3", "1", "1")
    for _ in 1...2 {
      desk.receive(.work(.conversation(id, turns: TimelineDetail.turnLimit, .success([]))))
    }
    #expect(desk.printed.count { $0 == "no turns yet" } == 1, "\(desk.printed)")
  }

  @Test("a long list is printed in parts, and only printed numbers count")
  func more() {
    let sessions = (1...45).map { ConsoleDesk.session("S\($0)", .idle) }
    var desk = Self.desk(sessions: sessions)
    desk.type("3")
    #expect(desk.prints("and 25 more; type more") && !desk.prints("21 idle"))
    #expect(desk.type("30").isEmpty && desk.prints("no choice '30'"))
    desk.type("more")
    #expect(desk.printed.first?.hasPrefix("21 idle") == true && desk.prints("and 5 more"))
    desk.type("more", "more")
    #expect(desk.prints("that is all"))
    desk.type("45")
    #expect(desk.prints("1 peek"))
  }

  // MARK: - Settings

  @Test("the beginning of a long call is in the list, with the number of its lines")
  func summary() {
    let command = (1...30).map { "echo line-\($0)" }.joined(separator: "\n")
    var desk = Self.desk(ConsoleDesk.request("p1", command))
    desk.type("2")
    #expect(desk.prints("bash: echo line-1, echo line-2") && desk.prints("…, 30 lines; in studio"))
    #expect(!desk.prints("line-20"))
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
      var desk = Self.desk()
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
    var desk = Self.desk(sessions: [ConsoleDesk.session("S", .running)])
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
    var desk = Self.desk(sessions: ["A", "S"].map { ConsoleDesk.session($0, .running) })
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
      var desk = Self.desk(Self.push)
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
    var desk = Self.desk(Self.push, sessions: [ConsoleDesk.session("S", .idle)])
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
    var desk = Self.desk(Self.push)
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
