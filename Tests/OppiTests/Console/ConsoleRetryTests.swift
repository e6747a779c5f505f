// SPDX-License-Identifier: MIT

import FakeServer
import OppiTerminal
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport

/// New attempts of several failed turns at once.
@Suite struct ConsoleRetryTests {
  private static func id(_ session: String) -> ListedSession.ID {
    ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: session)
  }

  /// Work with these sessions, all marked.
  private static func desk(_ phases: KeyValuePairs<String, SessionPhase>) -> ConsoleDesk {
    var desk = ConsoleDesk()
    desk.answer(sessions: phases.map { ConsoleDesk.session($0.key, $0.value) })
    desk.press("3", .home)
    for _ in phases { desk.press(" ") }
    return desk
  }

  /// The last turn of a session was read.
  private static func read(
    _ prompt: String?,
    of session: String,
    images: Int = 0,
    on desk: inout ConsoleDesk
  ) {
    var turn = Turn()
    (turn.prompt, turn.imageCount) = (prompt, images)
    _ = desk.update(.news(.work(.conversation(id(session), turns: 1, .success([turn])))))
  }

  @Test("one question names the failed turns by their prompts, and Enter sends each prompt whole")
  func sends() {
    var desk = Self.desk(["a": .failed, "b": .failed])
    let long = "fix the tests\n" + String(repeating: "and more ", count: 20) + "end"
    let reads = desk.press("R")
    #expect(Set(reads.map { "\($0)" }).count == 2)
    #expect(reads.contains(.work(.read(Self.id("a"), turns: 1))))
    #expect(desk.shows("reading the prompts…") && desk.press("y", .enter).isEmpty)
    Self.read("deploy", of: "b", images: 2, on: &desk)
    #expect(desk.shows("reading the prompts…"), "one is missing")
    Self.read(long, of: "a", on: &desk)
    #expect(desk.shows("Send the prompts of 2 failed turns again?"))
    #expect(desk.shows("fix the tests and more") && desk.shows("studio/webapp (a)"))
    #expect(desk.shows("deploy, studio/webapp (b), without its 2 images"), "\(desk.lines)")
    #expect(desk.press("y", .enter, after: .milliseconds(900)).isEmpty, "typed ahead")
    let sent = desk.choose("y")
    #expect(sent.count == 2 && sent.contains(.send("deploy", to: Self.id("b"))))
    #expect(sent.contains(.send(long, to: Self.id("a"))))
    let more = desk.press(.enter, "y", .enter, after: .seconds(2)).flatMap(\.changed)
    #expect(more.isEmpty && !desk.shows("marked"), "nothing is sent twice")
  }

  @Test("what has not failed, or has no prompt that can be read, is named and left out")
  func leavesOut() {
    var desk = Self.desk(["a": .failed, "b": .failed, "c": .failed, "d": .idle])
    #expect(desk.press("R").count == 3)
    Self.read("deploy", of: "a", on: &desk)
    Self.read(nil, of: "b", on: &desk)
    let failure = FleetView.Failure(message: "no route")
    _ = desk.update(.news(.work(.conversation(Self.id("c"), turns: 1, .failure(failure)))))
    #expect(desk.shows("Send the prompt of this failed turn again?"), "\(desk.lines)")
    for words in [
      "goal of b, studio/webapp (b), the prompt is not known",
      "goal of c, studio/webapp (c), no route", "goal of d, studio/webapp (d), idle",
    ] {
      #expect(desk.shows("left out: \(words)"), "\(desk.lines)")
    }
    #expect(desk.choose("y") == [.send("deploy", to: Self.id("a"))])
  }

  @Test("a session that changes while the question is open is left out of a new question")
  func changes() {
    var desk = Self.desk(["a": .failed, "b": .failed])
    desk.press("R")
    Self.read("deploy", of: "a", on: &desk)
    Self.read("test", of: "b", on: &desk)
    desk.press("y", after: .seconds(2))
    desk.answer(sessions: [ConsoleDesk.session("a", .running), ConsoleDesk.session("b", .failed)])
    #expect(desk.shows("left out: goal of a, studio/webapp (a), it has changed"))
    #expect(desk.press(.enter).isEmpty && desk.shows("read the question first"))
    #expect(desk.choose("y") == [.send("test", to: Self.id("b"))])
  }

  @Test("if no prompt is left, nothing can be sent")
  func nothing() {
    var desk = Self.desk(["a": .failed])
    desk.press("R")
    Self.read(" ", of: "a", on: &desk)
    #expect(desk.shows("no prompt can be sent again") && desk.choose("y").isEmpty)
    #expect(desk.press(.escape).isEmpty && desk.shows("1 marked"))
  }

  @Test("Esc sends nothing, and what is read afterwards asks nothing")
  func cancels() {
    var desk = Self.desk(["a": .failed])
    desk.press("R", .escape)
    #expect(desk.shows("not sent"))
    Self.read("deploy", of: "a", on: &desk)
    #expect(!desk.shows("again?") && desk.choose("y").isEmpty)
  }

  @Test("R is for marked sessions that failed, and for none with --read-only")
  func offers() {
    #expect(!Self.desk(["a": .idle]).footer.contains("retry"))
    #expect(Self.desk(["a": .failed]).footer.contains("R retry"))
    var desk = ConsoleDesk(isReadOnly: true)
    desk.answer(sessions: [ConsoleDesk.session("a", .failed)])
    #expect(desk.press("3", .home, " ", "R").isEmpty && !desk.shows("reading"))
  }

  @Test("in Now, marked requests are left out by name")
  func now() {
    var failed = ConsoleDesk.session("a", .failed)
    failed.turn = TurnSummary(end: .failed)
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("p", "git push")], sessions: [failed])
    desk.press("1")
    _ = desk.update(.news(.own(NowNews(dismissed: DismissedTurns()))))
    desk.press(.home, " ", " ", "R")
    Self.read("deploy", of: "a", on: &desk)
    #expect(desk.shows("left out: bash: git push"), "\(desk.lines)")
    #expect(desk.choose("y") == [.send("deploy", to: Self.id("a"))])
  }

  @Test("a question that does not fit must be read to its end before the change is made")
  func long() {
    var desk = Self.desk(["a": .failed])
    desk.resize(columns: 80, rows: 12)
    desk.press("R")
    let prompt = (1...12).map { "line \($0)" }.joined(separator: "\n")
    Self.read(prompt, of: "a", on: &desk)
    #expect(desk.shows("line 1") && !desk.shows("line 9") && desk.shows("PageDown: "))
    #expect(desk.choose("y").isEmpty && desk.shows("not all of the question was shown"))
    desk.press(.pageDown, after: .seconds(1))
    #expect(desk.press(.enter, after: .seconds(1)).isEmpty && !desk.shows("line 12"))
    desk.press(.pageDown, after: .seconds(1))
    #expect(desk.shows("line 12") && !desk.shows("PageDown: "), "\(desk.lines)")
    #expect(desk.press(.enter, after: .seconds(1)) == [.send(prompt, to: Self.id("a"))])
  }

  @Test("in a smaller window, a question must be shown again")
  func resized() {
    var desk = Self.desk(["a": .failed])
    desk.press("R")
    let prompt = (1...12).map { "line \($0)" }.joined(separator: "\n")
    Self.read(prompt, of: "a", on: &desk)
    desk.press("y", after: .seconds(2))
    desk.resize(columns: 80, rows: 12)
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty)
    #expect(desk.shows("not all of the question was shown"), "\(desk.lines)")
  }

  @Test("the prompts of failed turns reach their sessions once each")
  func delivers() {
    inWorld { world, server in
      for _ in 1...2 { _ = try await world.session(asking: "fail") }
      let terminal = world.start(["console"])
      try await terminal.see("[1 Now")
      try await terminal.type("3", see: "failed")
      terminal.type("  ")
      try await terminal.see("2 marked")
      try await terminal.type("R", see: "Send the prompts of 2 failed turns again?")
      try await terminal.confirm("send", in: world)
      try await terminal.see("sent to")
      try await world.pass(.seconds(5))
      terminal.type("q")
      try await terminal.end(exits: 0)
      #expect(server.heard == ["fail", "fail", "fail", "fail"])
    }
  }
}
