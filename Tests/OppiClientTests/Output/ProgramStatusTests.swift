// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport
@testable import OppiTurns

/// The program status and the notifications that terminals get.
@Suite struct ProgramStatusTests {
  private static let cleared = "state=clear"

  private static func states(_ terminal: VirtualTerminal) -> [String] {
    terminal.statuses.map { $0.replacing(":app=oppi", with: "") }
  }

  @Test(
    "a turn is working, blocked by the gate or its extension and done, and nothing is left",
    arguments: [Dialect.gated, .deviceKeys],
    ["--wait", "--follow"]
  )
  func turn(dialect: Dialect, option: String) {
    inWorld(dialect, where: \.pace, is: .seconds(2)) { world, server in
      let terminal = world.start(["ask", option, "-w", "demo", "deploy"])
      try await world.pass(.seconds(30))
      #expect(Self.states(terminal).last == "state=blocked:kind=permission")
      let list = await world.oppi("approvals", "--json")
      let id = list.json["approvals"].array?.first?["id"].string ?? ""
      _ = await world.oppi("approve", id)
      try await terminal.end(exits: 0)
      let states = Self.states(terminal)
      #expect(states.contains("state=working") && states.last == Self.cleared, "\(states)")
      #expect(terminal.isRestored)
    }
  }

  @Test(
    "a turn is done with an answer, idle after a stop, and an error after any other end",
    arguments: [
      (.succeeded(answer: "a"), .done), (.stopped(reason: nil), .idle), (.dropped, .idle),
      (.empty, .error), (.failed("f"), .error), (.unknown(reason: nil), .error),
    ] as [(TurnOutcome, ProgramStatus)]
  )
  func end(outcome: TurnOutcome, status: ProgramStatus) {
    var turn = Turn()
    turn.status = .finished(outcome)
    #expect(ProgramStatus(turn) == status)
  }

  @Test("an interrupt clears the status")
  func interrupt() {
    inWorld { world, server in
      let terminal = world.start(["ask", "--wait", "-w", "demo", "silent"])
      try await world.pass(.seconds(10))
      #expect(Self.states(terminal) == ["state=working"])
      terminal.type("\u{03}")
      _ = try await terminal.end()
      #expect(Self.states(terminal) == ["state=working", Self.cleared])
    }
  }

  @Test(
    "terminals that would print it get no status",
    arguments: [
      ["TERM": "linux"], ["TERM": "dumb"], ["OPPI_PROGRAM_STATUS": "0"], ["ACCESSIBLE": "1"],
    ]
  )
  func disabled(environment: [String: String]) {
    inWorld { world, server in
      let words = ["ask", "--wait", "-w", "demo", "hello"]
      let terminal = world.start(words, environment: ["TERM": "xterm"].merging(environment) { $1 })
      _ = try await terminal.end()
      #expect(terminal.statuses.isEmpty)
    }
  }

  @Test("the chat reports its turns, and calls a user who looks at another window")
  func chat() {
    inWorld(.gated, where: \.pace, is: .seconds(1)) { world, server in
      let terminal = world.start(["chat", "-w", "demo"])
      try await world.pass()
      terminal.type("hello\r")
      try await world.pass(.seconds(30))
      #expect(Self.states(terminal).last == "state=done" && terminal.calls.isEmpty)
      terminal.type("\u{1B}[O")
      terminal.type("deploy\r")
      try await world.pass(.seconds(30))
      #expect(Self.states(terminal).last == "state=blocked:kind=permission")
      #expect(terminal.calls.count == 1 && terminal.calls[0].hasPrefix("waiting for approval: "))
      terminal.type("\u{1B}[I")
      try await world.pass(.seconds(2))
      terminal.type("\u{04}")
      _ = try await terminal.end()
      #expect(Self.states(terminal).last == Self.cleared && terminal.isRestored)
    }
  }
}
