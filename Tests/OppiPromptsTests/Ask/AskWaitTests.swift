// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

@Suite struct AskWaitTests {
  @Test("only the answer is printed, even after a slow turn", arguments: Dialect.all)
  func answer(dialect: Dialect) {
    inWorld(dialect, where: \.pace, is: .seconds(30)) { world, server in
      let outcome = await world.oppi("ask", "--wait", "-w", "demo", "hello", exits: 0)
      #expect(outcome.output == "The command printed: hi\n", "\(outcome)")
      #expect(outcome.errors.isEmpty, "\(outcome)")
      #expect(outcome.elapsed > .seconds(60), "\(outcome)")
      #expect(server.heard == ["hello"])
    }
  }

  @Test(
    "each outcome of a turn has its own status and state",
    arguments: [
      ("hello", 0, "finished", "The command printed: hi"),
      ("two tools", 0, "finished", "Both are done."),
      ("big", 0, "finished", "That was a lot."),
      ("todo", 0, "finished", "Everything on the list is done."),
      ("retry", 0, "finished", "It worked the second time."),
      ("child", 0, "finished", nil),
      ("fail", 1, "failed", nil), ("retry fails", 1, "failed", nil), ("empty", 1, "empty", nil),
      ("refuse", 1, "failed", nil),
    ] as [(String, Int32, String, String?)],
    Dialect.all
  )
  func endings(
    turn: (prompt: String, status: Int32, state: String, answer: String?),
    dialect: Dialect
  ) {
    inWorld(dialect) { world, server in
      let words = ["ask", "--wait", "-w", "demo"]
      let text = await world.oppi(words + [turn.prompt], exits: turn.status)
      #expect(text.output.isEmpty == (turn.status != 0), "\(text)")
      #expect(text.errors.hasPrefix("oppi: ") == (turn.status != 0), "\(text)")
      let outcome = await world.oppi(words + ["--json", turn.prompt], exits: turn.status)
      #expect(outcome.errorLines.count == (turn.status == 0 ? 0 : 1), "\(outcome)")
      let report = outcome.json
      // Older servers do not report a model that fails.
      let isTold = dialect != .perSession || turn.prompt != "fail"
      #expect(report["state"].string == (isTold ? turn.state : "empty"), "\(outcome)")
      #expect((report["response"].string != nil) == (turn.status == 0), "\(outcome)")
      if let answer = turn.answer { #expect(report["response"].string == answer, "\(outcome)") }
    }
  }

  @Test("a stopped turn is status 4 for a waiting ask", arguments: Dialect.all)
  func stopped(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let waiting = world.begin("ask", "--wait", "-w", "demo", "--json", "silent")
      try await world.pass()
      await world.oppi("stop", "last", exits: 0)
      let outcome = await waiting.value
      #expect(outcome.status == 4, "\(outcome)")
      #expect(outcome.json["state"] == "stopped", "\(outcome)")
      #expect(outcome.error["code"] == "turn-stopped", "\(outcome)")
    }
  }

  @Test("an elapsed --timeout is status 124, and the agent continues")
  func timeLimit() {
    inWorld { world, server in
      let words = ["ask", "--wait", "--timeout", "10m", "-w", "demo", "silent"]
      let outcome = await world.oppi(words)
      #expect(outcome.status == 124 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("--timeout elapsed; the agent continues"), "\(outcome)")
      #expect(outcome.elapsed >= .seconds(600) && outcome.elapsed < .seconds(601))
      #expect(!server.messages.contains { $0.type == "stop" })
      let waiting = await world.oppi("ask", "--wait", "--timeout", "1m", "-w", "demo", "deploy")
      #expect(waiting.status == 124, "\(waiting)")
      #expect(waiting.errors.contains("the agent is waiting for "), "\(waiting)")
    }
  }

  @Test("a connection that breaks during the turn is restored, and the answer is received")
  func reconnects() {
    inWorld(where: \.pace, is: .seconds(5)) { world, server in
      let waiting = world.begin("ask", "--wait", "-w", "demo", "hello")
      for _ in 0..<4 {
        try await world.pass(.seconds(8))
        world.network.dropConnections(at: server.address)
      }
      let outcome = await waiting.value
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output == "The command printed: hi\n", "\(outcome)")
      #expect(server.heard == ["hello"])
    }
  }

  @Test("an interrupt is status 130 without output, and the agent continues")
  func interrupted() {
    inWorld { world, server in
      let terminal = world.start(["ask", "--wait", "-w", "demo", "silent"])
      try await world.pass()
      terminal.type("\u{03}")
      let outcome = try await terminal.end()
      #expect(outcome.status == 130 && outcome.output.isEmpty, "\(outcome)")
      #expect(!server.messages.contains { $0.type == "stop" })
    }
  }

  @Test("--follow shows the turn on a terminal, and its answer once")
  func follows() {
    inWorld(where: \.pace, is: .seconds(1)) { world, server in
      let terminal = world.start(["ask", "--follow", "-w", "demo", "hello"])
      try await terminal.see("echo hi")
      try await terminal.end(exits: 0)
      let answer = "The command printed: hi"
      #expect(terminal.lines.suffix(3).prefix(2) == [answer, ""], "\(terminal.lines)")
      #expect(terminal.lines.last?.hasPrefix("✓ Finished") == true, "\(terminal.lines)")
      #expect(terminal.lines.count { $0.contains(answer) } == 1, "\(terminal.lines)")
      #expect(terminal.isRestored, "\(terminal.lines)")
    }
  }
}
