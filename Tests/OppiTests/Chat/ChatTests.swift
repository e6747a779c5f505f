// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi chat` as a conversation with an agent.
@Suite struct ChatTests {
  @Test("a message is sent to the agent, and its answer is printed", arguments: Dialect.all)
  func talks(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("hello", see: "The command printed: hi")
      #expect(talk.lines.contains { $0.hasPrefix("▌ hello") }, "\(talk.lines)")
      try await talk.say("two tools", see: "Both are done.")
      try await talk.leave()
      #expect(server.heard == ["hello", "two tools"] && server.sessionsMade == 1)
    }
  }

  @Test("a chat continues an existing session, and leaving prints how to resume it")
  func goesOn() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let talk = try await ChatTerminal(in: world, "-s", "last")
      try await talk.say("two tools", see: "Both are done.")
      try await talk.leave()
      #expect(server.runs.map(\.sessionID) == [id, id])
      let rows = talk.lines.joined(separator: " ")
      #expect(rows.contains("resume with: oppi chat -s \(id)"), "\(talk.lines)")
    }
  }

  @Test("a new chat is in the default workspace of all commands, else in the last one")
  func defaultWorkspace() {
    inWorld { world, server in
      _ = try await world.session(asking: "hello")
      let variables = ["OPPI_WORKSPACE": "demo"]
      for (setting, variables, name) in [
        (nil, [:], "demo"), ("webapp", [:], "webapp"), ("webapp", variables, "demo"),
      ] {
        if let setting { await world.oppi("config", "set", "workspace", setting, exits: 0) }
        let terminal = world.start(["chat"], environment: variables)
        try await terminal.see(" in \(name) on studio")
        try await terminal.see("Enter: send")
        terminal.type(ChatTerminal.end)
        try await terminal.end(exits: 0)
      }
    }
  }

  @Test("a chat requires a terminal, and an existing session or workspace")
  func refuses() {
    inWorld { world, server in
      await world.oppi("chat", "-w", "demo", exits: 64, saying: "requires a terminal")
      for (words, status) in [(["chat", "-s", "nix"], 66), (["chat", "-w", "nix"], 66)] {
        let terminal = world.start(words)
        let outcome = try await terminal.end()
        #expect(outcome.status.map(Int.init) == status, "\(outcome)")
        #expect(terminal.isRestored, "\(terminal.lines)")
      }
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("a rejected token, a timeout, an unreachable server or no pairing ends a chat at once")
  func trouble() {
    inTroubledWorld { world, server, trouble in
      trouble.begin { $0.isRequest ? .answer(status: 401, error: "Unauthorized") : .proceed }
      let refused = try await world.start(["chat", "-w", "demo"]).end()
      #expect(refused.status == 77, "\(refused)")
      trouble.begin { $0.isRequest ? .hang : .proceed }
      let slow = try await world.start(["--timeout", "2s", "chat", "-w", "demo"]).end()
      #expect(slow.status == 75, "\(slow)")
      await server.end(.killed)
      let away = try await world.start(["chat", "-w", "demo"]).end()
      #expect(away.status == 69, "\(away)")
      _ = await world.oppi("servers", "forget", "studio")
      let unpaired = try await world.start(["chat", "-w", "demo"]).end()
      #expect(unpaired.status == 78, "\(unpaired)")
    }
  }

  @Test("a smaller window leaves nothing of the keys and the footer behind")
  func narrows() {
    inWorld { world, _ in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("hello", see: "Finished")
      for columns in [40, 80, 30, 60] {
        talk.terminal.resize(columns: columns, rows: 24)
        try await world.pass(.seconds(1))
        for text in ["Enter: send", "medium · "] {
          // A row that the terminal has wrapped is one line.
          let count = talk.lines.joined().ranges(of: text).count
          #expect(count == 1, "\(columns): \(talk.lines)")
        }
      }
      talk.terminal.close()
      _ = try await talk.terminal.end()
    }
  }

  // MARK: - Requests

  @Test(
    "a denial with a reason denies the call and sends the reason to the agent",
    arguments: Dialect.both
  )
  func denies(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("deploy", see: "waiting for approval: bash")
      try await talk.rest()
      try await talk.type("r", see: "reason ›")
      // Text typed right after the letter could be a message.
      try await world.pass(.seconds(1))
      try await talk.say("use a branch", see: "✗ bash  git push origin main")
      try await talk.see("▌ use a branch")
      try await talk.leave()
      #expect(server.heard == ["deploy", "use a branch"])
    }
  }

  @Test("/diff in the chat, and d in the console, show the last edit", arguments: Dialect.both)
  func lastEdit(dialect: Dialect) {
    inWorld(dialect) { world, _ in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("flaky", see: "waiting for approval: bash")
      try await talk.choose("d")
      try await talk.see("Not pushed")
      try await world.pass(.seconds(2))
      talk.say("/diff")
      try await talk.see("clock.advance", count: 2)
      try await talk.leave()
      let console = world.start(["console"], columns: 100, rows: 40)
      try await console.see("[1 Now")
      try await console.type("3", see: "flaky")
      try await world.pass(.seconds(1))
      try await console.type("\r", see: "Not pushed")
      try await console.type("d", see: "Edited Tests/LoginTests.swift")
      try await console.see("clock.advance")
      console.close()
      _ = try await console.end()
    }
  }

  @Test(
    "a question is answered part by part, with several choices in a part",
    arguments: Dialect.all
  )
  func answers(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("question", see: "Which tests should I run? (1 of 2)")
      try await talk.rest()
      talk.type(ChatTerminal.down + ChatTerminal.down)
      try await world.pass(.seconds(1))
      talk.type(ChatTerminal.enter)
      try await talk.see("Which extras? (2 of 2)")
      try await talk.rest()
      talk.type(ChatTerminal.down + " " + ChatTerminal.down + " ")
      try await world.pass(.seconds(1))
      talk.type(ChatTerminal.enter)
      // Servers that are known to take values get them.
      let isValue = dialect.credential == .deviceKey
      try await talk.see("You answered: extras: \(isValue ? "docs, lint" : "Lint, Docs")")
      try await talk.see("scope: \(isValue ? "all" : "All tests")")
      try await talk.leave()
    }
  }

  // MARK: - During a turn

  @Test(
    "queued and steering messages are shown, and printed when the agent receives them",
    arguments: Dialect.both
  )
  func queues(dialect: Dialect) {
    // Per-session servers do not report the queue.
    let isQueueShown = dialect == .multiplexed
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("deploy", see: "waiting for approval: bash")
      try await talk.type(ChatTerminal.escape, see: "waiting for approval (Esc: show the request)")
      try await talk.say("echo later", see: isQueueShown ? "queued: echo later" : "▌ echo later")
      try await talk.type(ChatTerminal.tab, see: "Enter: steer")
      try await talk.say("this way", see: isQueueShown ? "steering next: this way" : "▌ this way")
      talk.type(ChatTerminal.escape)
      try await talk.choose("a")
      try await talk.see("✓ bash  git push")
      try await talk.see("▌ this way")
      try await talk.see("▌ echo later")
      try await talk.leave()
      #expect(!talk.shows("queued:"), "\(talk.lines)")
      #expect(server.deliveries == ["prompt", "follow_up", "steer"])
    }
  }

  @Test(
    "Ctrl-C stops the turn, even if a call waits for approval",
    arguments: ["silent", "deploy"],
    Dialect.all
  )
  func stops(prompt: String, dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      talk.say(prompt)
      let request = dialect.requests.hasGate ? "waiting for approval: bash" : "Dangerous command"
      try await talk.see(prompt == "deploy" ? request : "sleep 3600")
      try await talk.type(ChatTerminal.interrupt, see: "the turn was stopped")
      try await talk.seeNo("a allow once")
      try await talk.leave()
      await world.oppi("stop", "last", "--json") { $0.json["state"] == "idle" }
    }
  }

  @Test("Ctrl-C in the pause before a retry stops the turn", arguments: Dialect.all)
  func stopsRetry(dialect: Dialect) {
    inWorld(dialect, where: \.retryDelay, is: .seconds(600)) { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("retry", see: "Retry 1 of 3")
      try await talk.type(ChatTerminal.interrupt, see: "the turn was stopped")
      #expect(!talk.shows("no turn is running"), "\(talk.lines)")
      try await talk.leave()
    }
  }

  @Test(
    "a message that the agent refuses is reported as not sent and returns to the draft",
    arguments: Dialect.all
  )
  func refused(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("refuse", see: "not sent: 'refuse'")
      try await talk.type(ChatTerminal.interrupt, see: "cleared")
      try await talk.say("hello", see: "The command printed: hi")
      try await talk.leave()
      #expect(server.heard.last == "hello")
    }
  }

  @Test("chat commands change the session and are not sent to the agent")
  func commands() {
    inWorld { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("/name the fix", see: "name: the fix")
      try await talk.say("/thinking high", see: "thinking: high")
      try await talk.say("/help", see: "/steer TEXT")
      try await talk.say("hello", see: "The command printed: hi")
      talk.say("/quit")
      try await talk.end()
      #expect(server.heard == ["hello"])
      #expect(server.messages.contains { $0.json["name"] == "the fix" })
      #expect(server.messages.contains { $0.json["level"] == "high" })
    }
  }
}
