// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The end of a chat, and the loss of its connection.
@Suite struct ChatEndTests {
  @Test("leaving after a change of size removes the draft and its keys, and the agent continues")
  func leaves() {
    inWorld { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("silent", see: "sleep 3600")
      talk.terminal.resize(columns: 50, rows: 20)
      try await talk.see("Enter: queue, Tab: steer, Ctrl-C: stop, Ctrl-D: e…")
      talk.type(ChatTerminal.end)
      try await talk.end()
      #expect(!talk.shows("Enter "), "\(talk.lines)")
      await world.oppi("stop", "last", "--json") { $0.json["state"] == "stopped" }
    }
  }

  @Test("a chat without messages deletes the session that it created", arguments: Dialect.all)
  func empty(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let before = try await world.session(asking: "hello")
      let talk = try await ChatTerminal(in: world, "--json")
      try await talk.type(ChatTerminal.interrupt, see: "press Ctrl-C again to exit")
      talk.type(ChatTerminal.interrupt)
      let outcome = try await talk.end()
      let report = outcome.json
      #expect(report["deleted"] == true, "\(outcome)")
      let id = try #require(report["sessionId"].string)
      await world.oppi("stop", "--", id, exits: 66)
      // `last` is the session that was used before.
      let last = await world.oppi("ask", "-n", "-s", "last", "--json", "x")
      #expect(last.json["sessionId"].string == before, "\(last)")
    }
  }

  @Test("a chat without messages keeps an existing session")
  func keeps() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let talk = try await ChatTerminal(in: world, "-s", id, "--json")
      talk.type(ChatTerminal.end)
      let outcome = try await talk.end()
      #expect(outcome.json["deleted"] == false, "\(outcome)")
      await world.oppi("ask", "-n", "-s", id, "x", exits: 0)
    }
  }

  @Test("the screen is redrawn after a suspension by the shell")
  func continued() {
    inWorld { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.type("half a message", see: "half a message")
      talk.terminal.signal(.suspendRequested)
      talk.terminal.signal(.continued)
      try await world.pass()
      #expect(talk.shows("half a message"), "\(talk.lines)")
      talk.type(ChatTerminal.clearLine)
      try await talk.leave()
    }
  }

  // MARK: - The connection

  @Test("a silent connection is detected, and the chat continues over a new connection")
  func silent() {
    inWorld { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("hello", see: "The command printed: hi")
      world.network.dropConnections(at: server.address)
      try await world.pass(.seconds(120))
      try await talk.say("two tools", see: "Both are done.")
      try await talk.leave()
      #expect(server.heard == ["hello", "two tools"])
    }
  }

  @Test("a message that was not sent is named if the session cannot be reached")
  func brokenOff() {
    inTroubledWorld { world, server, trouble in
      trouble.at("/stream", .hang)
      let terminal = world.start(["chat", "-w", "demo"])
      try await terminal.see("Session ")
      terminal.type("hello" + ChatTerminal.enter)
      let outcome = try await terminal.end()
      #expect(outcome.status == 69 && outcome.errors.contains("not sent"), "\(outcome)")
      #expect(outcome.errors.contains("message: hello"), "\(outcome)")
      #expect(outcome.errors.contains("timed out"), "\(outcome)")
    }
  }

  // MARK: - Output

  @Test("a narrow terminal wraps the help between words", arguments: ["xterm", "dumb"])
  func foldedHelp(terminalName: String) {
    // The ID of a session is short enough for a row.
    inWorld(where: \.countsIDs, is: true) { world, server in
      func rows(_ columns: Int) async throws -> [String] {
        let terminal = world.start(
          ["chat", "-w", "demo"],
          columns: columns,
          rows: 60,
          environment: ["TERM": terminalName]
        )
        try await terminal.see("Session ")
        try await terminal.type("/help" + ChatTerminal.enter, see: "/thinking")
        terminal.type(ChatTerminal.end)
        _ = try await terminal.end()
        return terminal.lines
      }
      let (wide, narrow) = (try await rows(200), try await rows(30))
      #expect(narrow.count > wide.count && narrow.allSatisfy { $0.count <= 30 }, "\(narrow)")
      let words = Set(narrow.flatMap(\.wordsOfRow)).subtracting(["session2"])
      #expect(words.subtracting(wide.flatMap(\.wordsOfRow)) == [], "\(narrow)")
    }
  }

  // MARK: - Line mode

  @Test("a dumb terminal has the same features in line mode", arguments: Dialect.both)
  func dumb(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world, terminalName: "dumb")
      try await talk.say("question", see: "waiting for an answer, 1 of 2: ")
      try await talk.answer("2")
      try await talk.see("waiting for an answer, 2 of 2: ")
      try await talk.answer("1, 2")
      try await talk.see("You answered: extras: Lint, Docs")
      try await talk.see("turn finished")
      try await talk.say("deploy", see: "waiting for approval: bash")
      try await talk.say("1", see: "not decided: typed less than 1 second")
      talk.type("half a line" + ChatTerminal.interrupt)
      try await talk.type(ChatTerminal.interrupt, see: "turn stopped")
      try await world.pass()
      talk.say("deploy")
      try await talk.see("type 1, 2, 3 or 4", count: 2)
      try await talk.answer("4")
      try await talk.see("type the reason")
      try await talk.answer("use a branch")
      try await talk.see("Tool: rejected: bash: git push origin main")
      try await talk.say("/name the fix", see: "name: the fix")
      try await world.pass()
      talk.type(ChatTerminal.end)
      let outcome = try await talk.end()
      #expect(!(outcome.output + outcome.errors).contains("\u{1B}"), "\(outcome)")
      #expect(server.heard == ["question", "deploy", "deploy", "use a branch"])
    }
  }
}
