// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The tabs of `oppi console` besides approvals, with servers.
@Suite struct ConsoleTabTests {
  private static let escape = "\u{1B}"

  private func leave(_ terminal: VirtualTerminal) async throws {
    terminal.type("q")
    try await terminal.end(exits: 0)
    #expect(terminal.isRestored, "\(terminal.lines)")
  }

  // MARK: - Chat

  @Test("the chat shows the latest session, sends a message, and leaving it stops no turn")
  func chat() {
    inWorld { world, server in
      _ = try await world.session(asking: "hello")
      let terminal = world.start(["console"])
      try await terminal.see("[1 Now")
      try await terminal.type("2", see: "No pending approvals.")
      try await terminal.type("4", see: "The command printed: hi")
      try await terminal.type("\r", see: "Enter: send")
      try await world.pass(.seconds(1))
      // Digits belong to the message here.
      try await terminal.type("two tools 3\r", see: "Both are done.")
      try await terminal.type("silent\r", see: "sleep 3600")
      try await terminal.type(Self.escape, see: "quit")
      try await leave(terminal)
      #expect(server.heard == ["hello", "two tools 3", "silent"])
      await world.oppi("sessions") { $0.lines.first?.contains("running") == true }
    }
  }

  @Test("a request in the chat is decided by the same rules, and a session is chosen in Work")
  func chatApproval() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "deploy")
      _ = try await world.session(asking: "hello")
      let terminal = world.start(["console"])
      try await terminal.see("git push")
      try await terminal.type("3", see: "deploy")
      terminal.type("/deploy\r")
      try await terminal.seeNo("hello")
      try await terminal.type("c", see: "waiting for approval: bash")
      terminal.type("\r")
      try await world.pass(.seconds(2))
      try await terminal.type("d", see: "▸d ")
      try await world.pass(.seconds(1))
      #expect(server.decisions == 0)
      try await terminal.type("\r", see: "✗ bash  git push origin main")
      try await terminal.type(Self.escape, see: "quit")
      try await leave(terminal)
      #expect(server.decisions == 1)
    }
  }

  // MARK: - Schedules

  @Test("a schedule is shown with its next runs, paused, resumed and run after a question")
  func schedules() {
    inSchedule { machine in
      try await machine.add(["--every", "30m"])
      let terminal = machine.world.start(["console"], environment: machine.environment)
      try await terminal.see("[1 Now")
      try await terminal.type("2", see: "No pending approvals.")
      try await terminal.type("5", see: "standup  every 30m")
      try await terminal.see("p pause")
      try await terminal.type("p", see: "Pause the schedule of standup?")
      try await terminal.confirm("pause", in: machine.world)
      try await terminal.see("paused standup")
      try await terminal.see("p resume")
      try await terminal.type("p", see: "Resume the schedule of standup?")
      try await terminal.confirm("resume", in: machine.world)
      try await terminal.see("resumed standup")
      try await terminal.type("R", see: "Run the shortcut standup now?")
      try await machine.world.pass(.seconds(1))
      try await terminal.type("n", see: "nothing was changed")
      try await terminal.type("R", see: "Run the shortcut standup now?")
      try await terminal.confirm("run", in: machine.world)
      try await terminal.see("ran standup")
      try await terminal.see("accepted")
      try await leave(terminal)
      #expect(machine.server.heard == ["hello"])
    }
  }

  @Test("a schedule is added after its next two runs were shown, and a wrong trigger is explained")
  func addsSchedule() {
    inSchedule { machine in
      let terminal = machine.world.start(["console"], environment: machine.environment)
      try await terminal.see("[1 Now")
      try await terminal.type("2", see: "No pending approvals.")
      try await terminal.type("5", see: "No schedules.")
      try await terminal.type("n", see: "shortcut ›")
      try await terminal.type("standup\r", see: "when ›")
      try await terminal.type("daily\r", see: "expects cron, every or at")
      try await terminal.type("\u{15}cron 0 9 * * 1-5\r", see: "time zone ›")
      try await terminal.type("Europe/Berlin\r", see: "next two runs:")
      #expect(machine.text(at: "\(World.home)/.local/state/oppi/schedules/standup.json").isEmpty)
      try await machine.world.pass(.seconds(2))
      try await terminal.confirm("save", in: machine.world)
      try await terminal.see("scheduled standup")
      try await terminal.see("cron 0 9 * * 1-5")
      try await leave(terminal)
    }
  }

  // MARK: - Settings

  @Test("settings show access, policy and past decisions; a device is revoked after a question")
  func settings() {
    inWorld(isPaired: false, where: \.acceptsPlainHTTP, is: true) { world, server in
      for _ in 1...2 {
        let invite = try #require(server.inviteText())
        _ = await world.oppi("pair", invite)
      }
      let terminal = world.start(["console"], columns: 100)
      try await terminal.see("[1 Now")
      try await terminal.type("2", see: "No pending approvals.")
      try await terminal.type("7", see: "this machine")
      try await terminal.type("\r", see: "tools run without approval unless an extension asks")
      try await terminal.see("devices with access: 2")
      try await terminal.type(Self.escape, see: "sign out")
      terminal.type("j")
      try await terminal.wait(for: "another device") { lines in
        lines.contains { $0.hasPrefix("▸   ") && !$0.contains("this machine") }
      }
      try await terminal.type("D", see: "End the access of")
      try await terminal.confirm("revoke", in: world)
      try await terminal.see("✗ revoked")
      try await leave(terminal)
    }
  }

  @Test(
    "settings show the rules of a server with a gate; a learned rule is removed after a question"
  )
  func rules() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "deploy")
      let request = await world.oppi("approvals").lines.first?.split(separator: "\t").first
      _ = await world.oppi("approve", String(try #require(request)), "--scope", "session")
      let terminal = world.start(["console"], columns: 120)
      try await terminal.see("[1 Now")
      try await terminal.type("2", see: "No pending approvals.")
      try await terminal.type("7", see: "✓ allowed: bash: Allow git push origin main")
      try await terminal.type("g", see: "Without a matching rule, a tool call is allowed.")
      try await terminal.type("/git push\r", see: "D remove")
      try await terminal.type("D", see: "Remove this rule from studio?")
      try await terminal.confirm("remove", in: world)
      try await terminal.see("removed the rule")
      try await terminal.seeNo("✓ allowed: bash")
      try await leave(terminal)
    }
  }

  @Test("a server that is signed out disappears, without a banner")
  func signsOut() {
    inWorld { world, server in
      let terminal = world.start(["console"], columns: 120)
      try await terminal.see("[1 Now")
      try await terminal.type("2", see: "No pending approvals.")
      try await terminal.type("7", see: "http://")
      try await terminal.type("D", see: "Remove studio from this machine?")
      try await terminal.confirm("sign out", in: world)
      try await terminal.see("removed studio")
      try await world.pass(.seconds(10))
      #expect(!terminal.lines.contains { $0.contains("unreachable") }, "\(terminal.lines)")
      try await leave(terminal)
    }
  }

  @Test("with --read-only no tab offers a change")
  func readOnly() {
    inSchedule { machine in
      try await machine.add(["--every", "30m"])
      _ = try await machine.world.session(asking: "hello")
      let terminal = machine.world.start(
        ["console", "--read-only"],
        columns: 100,
        environment: machine.environment
      )
      try await terminal.see("read-only")
      for (tab, word) in [("3", "hello"), ("5", "standup"), ("7", "studio")] {
        try await terminal.type(tab, see: word)
        terminal.type("jmsoexacDnpR\u{1b}")
        try await machine.world.pass(.seconds(1))
        let footer = terminal.lines.last ?? ""
        #expect(footer.contains("quit"), "\(footer)")
        for verb in ["reply", "stop", "chat", "pause", "run now", "new", "sign out"] {
          #expect(!footer.contains(verb), "\(footer)")
        }
      }
      try await leave(terminal)
      #expect(machine.server.heard == ["hello"])
    }
  }
}
