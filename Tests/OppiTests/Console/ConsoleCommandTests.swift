// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi console` with servers.
@Suite struct ConsoleCommandTests {
  /// A console on its own terminal, with a simulated user.
  private struct Desk {
    let terminal: VirtualTerminal
    let world: World

    init(in world: World, _ words: String..., columns: Int = 80) async throws {
      self.world = world
      terminal = world.start(["console"] + words, columns: columns)
      try await terminal.see("[1 Now")
      try await terminal.type("2", see: "[2 Approvals")
    }

    /// Opens the selected request, waits until it takes keys, selects by a letter and confirms.
    func choose(_ letter: String) async throws {
      try await terminal.see("Enter: confirm")
      try await terminal.type(letter, see: "▸\(letter) ")
      try await world.pass(.seconds(1))
      terminal.type("\r")
    }

    func leave(exits status: Int32 = 0) async throws {
      terminal.type("q")
      try await terminal.end(exits: status)
      #expect(terminal.isRestored && terminal.title == nil, "\(terminal.lines)")
    }
  }

  @Test(
    "a pending request appears, is allowed after it was read, and runs",
    arguments: Dialect.both
  )
  func allows(dialect: Dialect) {
    inWorld(dialect) { world, server in
      _ = try await world.session(asking: "deploy")
      let desk = try await Desk(in: world)
      try await desk.terminal.see("bash: git push origin main")
      #expect(desk.terminal.title == "(1) oppi console")
      try await desk.terminal.type("\r", see: "waiting for approval: bash")
      #expect(server.decisions == 0)
      try await desk.choose("a")
      try await desk.terminal.see("✓ allowed")
      try await desk.leave()
      let shown = await world.oppi("show", "last")
      #expect(shown.lines.contains { $0.contains("The branch is pushed.") }, "\(shown)")
    }
  }

  @Test("a request that arrives later is shown without a key, and can be denied")
  func arrives() {
    inWorld(.gated) { world, server in
      let desk = try await Desk(in: world)
      try await desk.terminal.see("No pending approvals.")
      _ = try await world.session(asking: "deploy")
      try await desk.terminal.see("bash: git push origin main")
      desk.terminal.type("\r")
      try await desk.choose("d")
      try await desk.terminal.see("✗ denied")
      try await desk.leave()
      #expect(server.decisions == 1)
    }
  }

  @Test("a request that was decided elsewhere is shown as the server has recorded it")
  func elsewhere() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "deploy")
      let desk = try await Desk(in: world)
      try await desk.terminal.see("bash: git push origin main")
      try await desk.terminal.type("\r", see: "waiting for approval")
      let id = await world.oppi("approvals").lines.first?.split(separator: "\t").first
      _ = await world.oppi("deny", String(try #require(id)))
      try await desk.terminal.see("denied elsewhere (user)")
      try await desk.terminal.type("\u{1B}", see: "[All 0]")
      try await desk.leave()
      #expect(server.decisions == 1)
    }
  }

  /// The server's answers to a denial that it did not take.
  enum LostDenial: CaseIterable, Sendable {
    case failed, tooLate, unknown

    fileprivate var intervention: Intervention {
      switch self {
      case .failed: .answer(status: 500, error: "down")
      case .tooLate: .answer(status: 404, error: "Permission request not found")
      case .unknown: .hang
      }
    }
  }

  @Test(
    "a reason for a denial that is not confirmed, or came too late, is named, and not sent",
    arguments: LostDenial.allCases
  )
  func reasonNotSent(lost: LostDenial) {
    inTroubledWorld(.gated) { world, server, trouble in
      _ = try await world.session(asking: "deploy")
      let desk = try await Desk(in: world, columns: 200)
      try await desk.terminal.see("bash: git push origin main")
      try await desk.terminal.type("\r", see: "Enter: confirm")
      try await desk.terminal.type("r", see: "reason ›")
      try await world.pass(.seconds(2))
      try await desk.terminal.type("use a branch", see: "use a branch")
      trouble.at("/respond", lost.intervention)
      try await world.pass(.seconds(2))
      try await desk.terminal.type("\r", see: "the reason was not sent: 'use a branch'")
      trouble.end()
      try await desk.leave(exits: lost == .unknown ? 6 : 0)
      #expect(server.deliveries == ["prompt"])
    }
  }

  @Test(
    "the console fails with a decision whose result is unknown, until a repeat is confirmed",
    arguments: [false, true]
  )
  func decisionUnknown(isRepeated: Bool) {
    inTroubledWorld(.gated) { world, server, trouble in
      _ = try await world.session(asking: "deploy")
      let desk = try await Desk(in: world, columns: 200)
      try await desk.terminal.see("bash: git push origin main")
      try await desk.terminal.type("\r", see: "Enter: confirm")
      trouble.at("/respond", .hang)
      try await desk.choose("d")
      try await desk.terminal.see("the server did not confirm it")
      trouble.end()
      if isRepeated {
        try await world.pass(.seconds(2))
        try await desk.terminal.type("g", see: "[All 1]")
        try await desk.terminal.type("\r", see: "Enter: confirm")
        try await desk.choose("d")
        try await desk.terminal.see("✗ denied")
      }
      try await desk.leave(exits: isRepeated ? 0 : 6)
    }
  }

  @Test("a reply that may have arrived is named, and not offered again")
  func replyUnknown() {
    inTroubledWorld { world, _, trouble in
      _ = try await world.session(asking: "hello")
      let desk = try await Desk(in: world, columns: 80)
      try await desk.terminal.type("3", see: "hello")
      try await desk.terminal.type("r", see: "Message to studio/")
      try await world.pass(.seconds(1))
      trouble.begin { $0.isPrompt ? .hang : .proceed }
      desk.terminal.type("go on\r")
      try await desk.terminal.see("check the session before you send it again")
      trouble.end()
      try await desk.terminal.type("r", see: "Message to studio/")
      #expect(!desk.terminal.lines.contains { $0.contains("go on") }, "\(desk.terminal.lines)")
      try await desk.terminal.type("\u{1B}", see: "quit")
      try await desk.leave(exits: 6)
    }
  }

  @Test("a server that goes away and comes back is named in the banner meanwhile")
  func banner() {
    inTroubledWorld { world, server, trouble in
      let desk = try await Desk(in: world, columns: 120)
      try await desk.terminal.see("No pending approvals.")
      trouble.begin { $0.isRequest ? .answer(status: 503, error: "down") : .proceed }
      try await desk.terminal.type("g", see: "studio is unreachable, last answer")
      trouble.end()
      desk.terminal.type("g")
      try await desk.terminal.seeNo("unreachable")
      try await desk.leave()
    }
  }

  @Test("a server that dies is named in the banner soon, also at rest", arguments: Dialect.all)
  func dies(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let desk = try await Desk(in: world, columns: 120)
      try await desk.terminal.see("No pending approvals.")
      // The connection for events is open.
      try await world.pass(.seconds(5))
      let before = world.kernel.elapsed
      await server.end(.killed)
      try await desk.terminal.see("studio is unreachable")
      #expect(world.kernel.elapsed - before <= .seconds(5))
      try await desk.leave()
    }
  }

  @Test("sessions are listed, opened, answered and stopped")
  func works() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let desk = try await Desk(in: world)
      try await desk.terminal.type("3", see: "hello")
      try await desk.terminal.type("\r", see: "The command printed: hi")
      try await desk.terminal.type("\u{1B}", see: "[All 1]")
      try await desk.terminal.type("r", see: "Message to studio/")
      try await world.pass(.seconds(1))
      try await desk.terminal.type("silent\r", see: "sent to \(id)")
      try await desk.terminal.see("▶")
      try await desk.terminal.type("s", see: "Stop the running turn of this session?")
      try await world.pass(.seconds(1))
      try await desk.terminal.type("n", see: "not stopped")
      try await desk.terminal.type("s", see: "Stop the running turn of this session?")
      try await desk.terminal.confirm("stop", in: world)
      try await desk.terminal.see("stopped the turn of \(id)")
      try await desk.leave()
      #expect(server.heard == ["hello", "silent"])
    }
  }

  @Test("without a terminal, the console names other commands")
  func refuses() {
    inWorld { world, _ in
      let outcome = await world.oppi("console")
      #expect(outcome.status == 64, "\(outcome)")
      #expect(outcome.errors.contains("oppi status, oppi approvals"), "\(outcome)")
    }
  }

  @Test("without colours, the conversation and the chat keep the marks of Markdown")
  func markdownMarks() {
    inWorld { world, _ in
      _ = try await world.session(asking: "markdown")
      for variables in [["NO_COLOR": "1"], [:]] {
        let terminal = world.start(["console"], columns: 100, rows: 60, environment: variables)
        try await terminal.see("finished")
        for keys in [["3", "\r"], ["\u{1B}", "4"]] {
          for key in keys {
            try await world.pass(.seconds(2))
            terminal.type(key)
          }
          try await terminal.see("That is all.")
          let hasMark = terminal.lines.contains { $0.contains("# Release notes") }
          #expect(hasMark == !variables.isEmpty, "\(terminal.lines)")
        }
        terminal.close()
        _ = try await terminal.end()
      }
    }
  }

  @Test("without a paired server the console says so")
  func unpaired() {
    inWorld(isPaired: false) { world, _ in
      let outcome = try await world.start(["console"]).end()
      #expect(outcome.status == 78, "\(outcome)")
    }
  }

  @Test("rows that a narrow window has cut are drawn again, also if it has its size again at once")
  func narrowed() {
    inWorld { world, _ in
      let desk = try await Desk(in: world)
      try await desk.terminal.see("No pending approvals.")
      // The connection for events is open.
      try await world.pass()
      desk.terminal.resize(columns: 8, rows: 30)
      desk.terminal.resize(columns: 80, rows: 30)
      #expect(!desk.terminal.lines.contains { $0.contains("No pending approvals.") })
      try await desk.terminal.see("No pending approvals.")
      desk.terminal.close()
      _ = try await desk.terminal.end()
    }
  }

  @Test("closing the window, an interrupt and a resize leave the terminal restored")
  func ends() {
    inWorld { world, _ in
      let desk = try await Desk(in: world)
      try await desk.terminal.see("No pending approvals.")
      desk.terminal.resize(columns: 40, rows: 12)
      try await desk.terminal.see("No pending approvals.")
      desk.terminal.signal(.continued)
      try await desk.terminal.see("No pending approvals.")
      desk.terminal.close()
      let outcome = try await desk.terminal.end()
      #expect(outcome.status == 0 && desk.terminal.isRestored, "\(outcome)")
    }
  }
}

extension VirtualTerminal {
  /// Reads a question of the console for a second, selects its change, looks at the selection, and
  /// confirms it.
  func confirm(_ verb: String, in world: World) async throws {
    try await world.pass(.seconds(1))
    type("y")
    try await see("▸y \(verb)")
    try await world.pass(.seconds(1))
    type("\r")
  }
}
