// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Command lines that do not do what their users meant, and what they read.
@Suite struct WrongUseTests {
  @Test(
    "a wrong use is explained",
    arguments: [
      (["pair", "x"], 65, "oppi: not an invite\n  hint: an invite starts with oppi://connect\n"),
      (["outbox", "drop", "nosuch"], 66, "oppi: no prompt 'nosuch' in the outbox\n"),
      (["chat"], 64, "hint: without a terminal use: oppi ask --follow"),
      (["help", "exit"], 64, "hint: did you mean 'exit-status'?"),
      (["help", "ak"], 64, "hint: did you mean 'ask'?"),
      (["help", "zzzz"], 64, "hint: topics: "),
      (["schedule", "run", "nosuch"], 66, "oppi: no shortcut 'nosuch'\n"),
      (["config", "set", "picker", "nosuch -x"], 0, "warning: program 'nosuch' not found"),
      (
        ["sessions", "delete", "--older", "30", "-w", "demo"], 64,
        "oppi: --older expects a duration such as 30d, at least 1m, not '30'\n"
      ),
    ] as [([String], Int32, String)]
  )
  func texts(words: [String], status: Int32, text: String) {
    inWorld { world, _ in
      await world.oppi(words, exits: status, saying: text) { $0.output.isEmpty }
    }
  }

  @Test("doctor reports a fault that several checks meet once")
  func doctor() {
    inWorld { world, _ in
      await world.oppi("shortcuts", "add", "x", "-w", "demo", "hello", exits: 0)
      let outcome = await world.oppi("doctor", "--server", "nope")
      #expect(outcome.lines.count { $0.contains("no paired server 'nope'") } == 1, "\(outcome)")
    }
  }

  @Test("a note about servers without records of decisions is printed once")
  func records() {
    inWorld { world, _ in
      let one = await world.oppi("approvals", "log", exits: 69)
      #expect(one.errorLines.count == 1 && one.errors.contains("studio keeps no"), "\(one)")
      _ = try await world.addServer(named: "attic")
      let two = await world.oppi("approvals", "log", exits: 69)
      #expect(two.errors.contains("attic, studio keep no record"), "\(two)")
      #expect(two.errorLines.count == 1, "\(two)")
    }
  }

  @Test(
    "an unpaired command says in the same words where invites come from",
    arguments: [
      ["status"], ["servers"], ["ask", "hello"], ["pair", "x"],
    ]
  )
  func invites(words: [String]) {
    inWorld(isPaired: false) { world, _ in
      let outcome = await world.oppi(words)
      let hint = "  hint: create an invite on the server's machine: oppi pair --json"
      #expect(outcome.errorLines.count { $0 == hint } == 1, "\(outcome)")
    }
  }
}
