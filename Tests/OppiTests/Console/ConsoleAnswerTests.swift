// SPDX-License-Identifier: MIT

import FakeServer
import OppiTerminal
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport

/// Answers to sessions that wait, also where the server reports a question only in its session.
@Suite struct ConsoleAnswerTests {
  private static let enter = "\r"
  private static let escape = "\u{1B}"
  private static let down = "\u{1B}[B"

  private static func id(_ session: String) -> ListedSession.ID {
    ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: session)
  }

  private static func desk(tab: String, _ sessions: [SessionStatus]) -> ConsoleDesk {
    var desk = ConsoleDesk()
    desk.answer(sessions: sessions)
    desk.press(.text(tab), .home)
    return desk
  }

  /// A console that shows a question of an agent after Enter, in a list from which it was opened.
  private static func open(_ world: World, tab: String) async throws -> VirtualTerminal {
    _ = try await world.session(asking: "question")
    let terminal = world.start(["console"], columns: 100, rows: 40)
    try await terminal.see("[1 Now (1)]")
    try await terminal.type(tab, see: "[\(tab) ")
    try await world.pass(.seconds(1))
    try await terminal.type(enter, see: "Which tests should I run?")
    return terminal
  }

  @Test(
    "Enter on a session that waits shows its question whole, and takes the answer",
    arguments: [Dialect.multiplexed, .sessionSockets, .deviceKeys],
    ["1", "3"]
  )
  func answers(dialect: Dialect, tab: String) {
    inWorld(dialect) { world, _ in
      let terminal = try await Self.open(world, tab: tab)
      for text in ["(1 of 2)", "Unit tests", "All tests"] { try await terminal.see(text) }
      try await world.pass(.seconds(2))
      terminal.type(Self.down + Self.down)
      try await world.pass(.seconds(1))
      try await terminal.type(Self.enter, see: "Which extras? (2 of 2)")
      try await world.pass(.seconds(2))
      terminal.type(Self.down + " ")
      try await world.pass(.seconds(1))
      terminal.type(Self.enter)
      try await world.pass(.seconds(2))
      terminal.type(Self.escape)
      try await world.pass(.seconds(2))
      try await terminal.type("3", see: "[3 Work]")
      try await terminal.see("Waiting 0")
      terminal.close()
      _ = try await terminal.end()
      let shown = await world.oppi("show", "last")
      #expect(shown.output.lowercased().contains("scope: all"), "\(shown)")
    }
  }

  @Test(
    "a question that the server does not repeat is shown whole, with who can answer it",
    arguments: ["1", "3"]
  )
  func unreported(tab: String) {
    inWorld(.perSession) { world, _ in
      let terminal = try await Self.open(world, tab: tab)
      for text in ["Unit tests / All tests", "Which extras?", "Lint / Docs", "Only a program that"]
      {
        try await terminal.see(text)
      }
      #expect(!terminal.lines.contains { $0.contains("Running") }, "\(terminal.lines)")
      terminal.close()
      _ = try await terminal.end()
    }
  }

  @Test("a session that waits without a listed request opens in the chat", arguments: ["1", "3"])
  func opensChat(tab: String) {
    var desk = Self.desk(tab: tab, [ConsoleDesk.session("s1", .waiting)])
    #expect(desk.press(.enter) == [.chat(.open(Self.id("s1")))])
    #expect(desk.lines[0].contains("[4 Chat]"))
    var other = Self.desk(tab: tab, [ConsoleDesk.session("s1", .running)])
    let read = ConsoleEffect.work(.read(Self.id("s1"), turns: TimelineDetail.turnLimit))
    #expect(other.press(.enter) == [read], "nothing waits")
  }

  @Test(
    "after an answer in the chat, the next session that waits is selected",
    arguments: ["1", "3"]
  )
  func movesOn(tab: String) {
    let (first, second) = (ConsoleDesk.session("s1", .waiting), ConsoleDesk.session("s2", .waiting))
    for isAnswered in [true, false] {
      var desk = Self.desk(tab: tab, [first, second])
      let chosen = desk.cursorLine.contains("goal of s1") ? ("s1", "s2") : ("s2", "s1")
      desk.press(.enter)
      if isAnswered {
        desk.answer(sessions: [
          ConsoleDesk.session(chosen.0, .running), ConsoleDesk.session(chosen.1, .waiting),
        ])
      }
      desk.press(.escape, .text(tab))
      let selected = isAnswered ? chosen.1 : chosen.0
      #expect(desk.cursorLine.contains("goal of \(selected)"), "\(desk.lines)")
    }
  }
}
