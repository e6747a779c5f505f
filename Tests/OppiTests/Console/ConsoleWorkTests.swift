// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import Testing

@testable import Oppi
@testable import OppiTestSupport
@testable import OppiWire

/// Sessions on the console: groups, peeks, replies and stops.
@Suite struct ConsoleWorkTests {
  private func desk(
    _ sessions: [SessionStatus] = [ConsoleDesk.session("s1", .running)],
    columns: Int = 80,
    isReadOnly: Bool = false
  ) -> ConsoleDesk {
    var desk = ConsoleDesk(columns: columns, isReadOnly: isReadOnly)
    desk.answer(sessions: sessions)
    desk.press(.text("3"))
    return desk
  }

  private static let first = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "s1")

  @Test("the state of a session is a symbol and a word, so that colour is not needed")
  func states() {
    var idle = ConsoleDesk.session("d", .idle)
    idle.turn = TurnSummary()
    idle.turn?.end = .finished
    let desk = desk([
      ConsoleDesk.session("a", .waiting), ConsoleDesk.session("b", .failed),
      ConsoleDesk.session("c", .running), idle, ConsoleDesk.session("e", .done),
    ])
    for (sign, word) in [("!", "waiting"), ("✗", "failed"), ("▶", "running"), ("✓", "idle")] {
      #expect(desk.lines.contains { $0.dropFirst(2).hasPrefix("\(sign) \(word) ") }, "\(word)")
    }
    #expect(desk.shows("[All 5] · Waiting 1 · Running 1 · Failed 1 · Idle 1 · Ended 1"))
  }

  @Test("f shows one group after the other, and the tab counts what needs the user")
  func groups() throws {
    var desk = desk([ConsoleDesk.session("a", .waiting), ConsoleDesk.session("b", .failed)])
    #expect(desk.lines[0].contains("[3 Work (2)]"))
    desk.press(.text("f"))
    #expect(desk.shows("goal of a") && !desk.shows("goal of b") && desk.shows("[Waiting 1]"))
    desk.press(.text("f"))
    #expect(desk.shows("Nothing matches the filter."))
    desk.press(.text("f"))
    #expect(desk.shows("goal of b") && !desk.shows("goal of a"))
    desk.press(.text("F"), .text("F"), .text("F"))
    #expect(desk.shows("goal of a") && desk.shows("goal of b"))
    desk.press(.text("F"))
    let last = try #require(SessionPhase.allCases.last)
    #expect(desk.shows("[\(last.title) 0]"), "before the first group is the last one")
  }

  @Test("Enter reads the conversation, Space its last turn, and Esc returns to the list")
  func opens() {
    var desk = desk()
    #expect(desk.press(.enter) == [.work(.read(Self.first, turns: TimelineDetail.turnLimit))])
    #expect(desk.shows("reading…"))
    desk.press(.escape)
    #expect(desk.press(.text("p")) == [.work(.read(Self.first, turns: 1))])
    _ = desk.update(
      .news(.work(.conversation(Self.first, turns: TimelineDetail.turnLimit, .success([]))))
    )
    #expect(desk.shows("reading…"), "that was the answer to Enter")
    let failure = FleetView.Failure(message: "no route")
    _ = desk.update(.news(.work(.conversation(Self.first, turns: 1, .failure(failure)))))
    #expect(desk.shows("no route"))
    _ = desk.update(.news(.work(.conversation(Self.first, turns: 1, .success([])))))
    #expect(desk.shows("no turns yet"))
    desk.press(.escape)
    #expect(desk.shows("[All 1]"))
  }

  @Test(
    "Enter on a session that waits shows its request whole and takes the answer; then the next one that waits is selected"
  )
  func answers() throws {
    var desk = ConsoleDesk(columns: 120)
    desk.press("3")
    let requests = ["a", "b"].map { ConsoleDesk.request($0, "make \($0)", session: "s\($0)") }
    let sessions = ["sa", "sb"].map { ConsoleDesk.session($0, .waiting) }
    desk.answer(requests, sessions: sessions + [ConsoleDesk.session("sc", .running)])
    let first = desk.cursorLine.contains("goal of sa") ? "a" : "b"
    #expect(desk.shows("make \(first)"), "the detail shows what the session waits for")
    desk.press(.enter)
    #expect(desk.shows("a allow once") && desk.shows("bash"), "\(desk.lines)")
    let effects = desk.choose("d")
    guard case .reply(.decision(.deny), let request, nil)? = effects.first else {
      Issue.record("no reply: \(effects)")
      return
    }
    #expect(request.id.requestID == first && effects.count == 1)
    let next = first == "a" ? "b" : "a"
    #expect(desk.cursorLine.contains("goal of s\(next)"), "\(desk.lines)")
    #expect(desk.press(.enter, after: .milliseconds(100)).isEmpty && !desk.shows("a allow once"))
    desk.press(.enter, after: .seconds(1))
    #expect(desk.shows("make \(next)") && desk.shows("a allow once"))
  }

  @Test("an open conversation shows no turns of another session")
  func otherTurns() {
    var desk = desk([ConsoleDesk.session("s1", .running), ConsoleDesk.session("s2", .idle)])
    desk.press(.enter)
    let other = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "s2")
    _ = desk.update(
      .news(.work(.conversation(other, turns: TimelineDetail.turnLimit, .success([]))))
    )
    #expect(desk.shows("goal of s1") && desk.shows("reading…"), "\(desk.lines)")
  }

  @Test("an open conversation is read again when the session has changed, one read at a time")
  func rereads() {
    let read = ConsoleEffect.work(.read(Self.first, turns: TimelineDetail.turnLimit))
    let result = ConsoleNews.work(
      .conversation(Self.first, turns: TimelineDetail.turnLimit, .success([]))
    )
    var desk = desk()
    desk.press(.down, .enter)
    var session = ConsoleDesk.session("s1", .running)
    session.lastActivity = ConsoleDesk.begin.moved(by: .seconds(5))
    #expect(desk.answer(sessions: [session]).isEmpty, "the first read is under way")
    #expect(desk.update(.news(result)) == [read])
    #expect(desk.update(.news(result)).isEmpty && desk.answer(sessions: [session]).isEmpty)
    session.lastActivity = ConsoleDesk.begin.moved(by: .seconds(6))
    #expect(desk.answer(sessions: [session]) == [read])
    let failure = FleetView.Failure(message: "no route")
    #expect(
      desk.update(
        .news(.work(.conversation(Self.first, turns: TimelineDetail.turnLimit, .failure(failure))))
      ).isEmpty
    )
    #expect(desk.answer(sessions: [session]) == [read], "the next answer repeats a failed read")
  }

  @Test("a reply names its session, sends only with Enter, and Esc sends nothing")
  func replies() {
    var desk = desk()
    desk.press(.down, .text("r"))
    #expect(desk.shows("Message to studio/webapp (s1)") && desk.shows("queued behind the running"))
    #expect(desk.press(.text("go on, s and y"), .newline, .text("please")).isEmpty)
    // Even if the selection changed meanwhile, the reply goes to the session that is named.
    desk.answer(sessions: [ConsoleDesk.session("s2", .waiting), ConsoleDesk.session("s1", .idle)])
    #expect(desk.press(.enter).isEmpty && desk.shows("press Enter again"))
    let sent = desk.press(.enter, after: .seconds(1))
    #expect(sent == [.send("go on, s and y\nplease", to: Self.first)])
    desk.press(.text("r"), .text("never mind"))
    #expect(desk.press(.escape).isEmpty && desk.shows("[All 2]"))
  }

  @Test("after a stop of the program, an Enter typed ahead does not send the reply")
  func continued() {
    var desk = desk()
    desk.press(.down, .text("r"), .text("go on"))
    desk.wait(.seconds(2))
    _ = desk.update(.continued)
    #expect(desk.press(.enter).isEmpty && desk.shows("press Enter again"))
    #expect(desk.press(.enter, after: .milliseconds(999)).isEmpty)
    #expect(desk.press(.enter, after: .seconds(1)) == [.send("go on", to: Self.first)])
  }

  @Test("a stop is asked about: only Enter stops, after a look at the question and the selection")
  func stops() {
    var desk = desk()
    #expect(desk.press(.down, .text("s")).isEmpty)
    #expect(desk.shows("Stop the running turn of this session?") && desk.shows("goal of s1"))
    #expect(desk.press(.text("y"), .enter, after: .milliseconds(999)).isEmpty, "typed ahead")
    #expect(desk.shows("read the question first"))
    #expect(desk.cursorLine.hasSuffix("n cancel"))
    #expect(desk.press(.text("y"), .enter, after: .milliseconds(1)).isEmpty, "one movement")
    #expect(desk.cursorLine.hasSuffix("y stop"))
    #expect(desk.press(.enter, after: .milliseconds(249)).isEmpty)
    #expect(desk.press(.enter, after: .milliseconds(1)) == [.work(.stop(Self.first))])
    for key in [Key.enter, .text("n"), .escape, .text("q")] {
      desk.press(.text("s"))
      #expect(desk.press(key, after: .seconds(1)).isEmpty && desk.shows("not stopped"))
    }
    for key in [Key.text("Y"), .text("yes"), .paste("y"), .up, .text("s")] {
      desk.press(.text("s"))
      #expect(desk.press(key, after: .seconds(1)).isEmpty)
      #expect(desk.press(.enter, after: .seconds(1)).isEmpty && desk.shows("not stopped"))
    }
  }

  @Test("after a stop of the program, a question is new, with Cancel selected")
  func continues() {
    var desk = desk()
    desk.press(.down, .text("s"))
    desk.press(.text("y"), after: .seconds(1))
    desk.wait(.seconds(1))
    _ = desk.update(.continued)
    #expect(desk.cursorLine.hasSuffix("n cancel"))
    #expect(desk.press(.enter, .text("y"), .enter, after: .milliseconds(900)).isEmpty)
    #expect(desk.shows("Stop the running turn"), "the keys came too early to cancel")
    #expect(desk.press(.enter, after: .milliseconds(100)).isEmpty && desk.shows("not stopped"))
  }

  @Test("only a session whose turn runs or waits can be stopped, and with --read-only none")
  func offers() {
    for (phase, isReadOnly, isOffered) in [
      (SessionPhase.idle, false, false), (.running, true, false), (.waiting, false, true),
    ] {
      var desk = desk([ConsoleDesk.session("s1", phase)], isReadOnly: isReadOnly)
      desk.press(.down)
      #expect(desk.footer.contains("stop") == isOffered && desk.press(.text("s")).isEmpty)
      #expect(desk.shows("Stop the running turn") == isOffered)
      if !isOffered { #expect(desk.footer.contains("reply") == !isReadOnly) }
    }
  }

  @Test(
    "after a search the first result is selected, so that no message goes to an earlier selection"
  )
  func deselects() {
    var desk = desk()
    desk.press(.text("/"), .text("/flaky"), .enter, .text("/"), .text("/zebra"), .enter, .home)
    _ = desk.update(.news(.work(.found("flaky", [ConsoleDesk.searchHit], silent: []))))
    #expect(!desk.shows("goal of old"), "the result of an earlier search")
    _ = desk.update(.news(.work(.found("zebra", [ConsoleDesk.searchHit], silent: []))))
    #expect(desk.shows("goal of old"))
    desk.press(.text("r"))
    #expect(desk.shows("Message to") && desk.shows("goal of old"), "\(desk.lines)")
  }

  @Test("what a dead server ran was last seen running, and no longer counts as running")
  func deadServer() {
    var desk = desk([ConsoleDesk.session("s1", .running), ConsoleDesk.session("s2", .idle)])
    #expect(desk.shows("running") && !desk.shows("last seen"))
    let lost = FleetView.Failure(message: "can't reach studio")
    _ = desk.update(.news(.looked(ConsoleDesk.studio, .failure(lost))))
    desk.wait(.seconds(300))
    #expect(desk.lines.contains { $0.contains("? unknown") && $0.contains("goal of s1") })
    #expect(desk.shows("last seen running 5 min ago"))
    #expect(desk.lines.contains { $0.contains("goal of s2") && !$0.contains("last seen") })
    desk.answer(sessions: [ConsoleDesk.session("s1", .running)])
    #expect(!desk.shows("last seen"))
  }

  @Test("a wide screen shows what is known of the selected session next to the list")
  func panes() {
    let desk = desk(columns: 120)
    #expect(desk.shows("updated   0 s ago") && desk.shows("goal of s1"))
    #expect(desk.cursorLine.hasPrefix("▸"))
  }
}
