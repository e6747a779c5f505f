// SPDX-License-Identifier: MIT

import OppiTerminal
import Simulation
import Testing

@testable import Oppi
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Stopping a turn by pressing Esc twice.
@Suite struct ChatStopTests {
  private static let offer = "Esc again: stop the agent"

  private static func working() throws -> ChatDesk {
    var desk = ChatDesk()
    _ = try desk.connect("busy")
    try desk.begin()
    return desk
  }

  @Test("the first Esc offers to stop the turn for two seconds, and the second one stops it")
  func stops() throws {
    for (pause, stops) in [(Duration.milliseconds(50), true), (.milliseconds(1900), true)] {
      var desk = try Self.working()
      #expect(desk.press(.escape).isEmpty && desk.shows(Self.offer))
      #expect(desk.press(.escape, after: pause).contains(.stopTurn) == stops)
      #expect(!desk.shows(Self.offer))
    }
    var late = try Self.working()
    _ = late.press(.escape)
    #expect(late.press(.escape, after: .seconds(2)).isEmpty && late.shows(Self.offer))
    _ = late.wait(.seconds(2))
    #expect(!late.shows(Self.offer))
  }

  @Test("another key, or a request, withdraws the offer", arguments: [true, false])
  func withdrawn(isKey: Bool) throws {
    var desk = try Self.working()
    _ = desk.press(.escape)
    if isKey {
      _ = desk.press(.text("x"))
      #expect(!desk.shows(Self.offer))
    } else {
      try desk.ask()
    }
    #expect(!desk.press(.escape, after: .milliseconds(100)).contains(.stopTurn))
  }

  @Test("an Esc that closes something does only that, also before and after another one")
  func closes() throws {
    var desk = try Self.working()
    _ = desk.press(.text("/st"))
    #expect(desk.press(.escape).isEmpty && !desk.shows(Self.offer))
    _ = desk.press(.control("u"), .control("r"))
    #expect(desk.press(.escape).isEmpty && !desk.shows(Self.offer))
    try desk.ask()
    for _ in 0..<5 { #expect(desk.press(.escape, after: .milliseconds(100)).isEmpty) }
    #expect(!desk.shows(Self.offer))
  }

  @Test("Esc does nothing while no turn is running, and the offer ends with the turn")
  func idle() throws {
    var desk = ChatDesk()
    _ = try desk.connect()
    #expect(desk.press(.escape, .escape).isEmpty && !desk.shows(Self.offer))
    try desk.begin()
    _ = desk.press(.escape)
    _ = try desk.receive([
      "type": "stop_confirmed", "source": "user", "sessionId": "S", "seq": 2,
    ])
    _ = try desk.receive(["type": "agent_start", "sessionId": "S", "seq": 3])
    #expect(desk.press(.escape, after: .milliseconds(10)).isEmpty)
  }

  @Test("two presses stop the turn on the server", arguments: Dialect.all)
  func server(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("silent", see: "sleep 3600")
      try await talk.type(ChatTerminal.escape, see: Self.offer)
      try await talk.type(ChatTerminal.escape, see: "the turn was stopped")
      try await talk.leave()
    }
  }
}
