// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel
import OppiSystem
import Simulation
import Testing

/// How a chat ends, and what it does where its connection does.
@Suite struct ChatEndTests {
  @Test("leaving and resizing leave a screen on which nothing looks live, and the agent works on")
  func leaves() {
    inWorld { world, server in
      let talk = try await Talk(in: world)
      talk.say("silent")
      try await talk.see("sleep 3600")
      talk.terminal.resize(columns: 50, rows: 20)
      try await talk.see("Enter: queue, Tab: steer, Ctrl-C: stop, Ctrl-D: e…")
      talk.type(Talk.end)
      try await talk.end()
      #expect(!talk.shows("Activity") && !talk.shows("Enter "), "\(talk.lines)")
      let outcome = await world.oppi("stop", "last", "--json")
      #expect(outcome.json["state"] == "stopped", "\(outcome)")
    }
  }

  @Test(
    "a chat in which nothing was said removes the session that it made",
    arguments: PairedServer.Dialect.both
  )
  func empty(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let before = try await world.session(asking: "hello")
      let talk = try await Talk(in: world, "--json")
      talk.type(Talk.interrupt)
      try await talk.see("press Ctrl-C again to exit")
      talk.type(Talk.interrupt)
      let outcome = try await talk.end()
      let report = outcome.json
      #expect(report["deleted"] == true, "\(outcome)")
      let id = try #require(report["sessionId"].string)
      let gone = await world.oppi("stop", "--", id)
      #expect(gone.status == 66, "\(gone)")
      // What was used last is what was before.
      let last = await world.oppi("ask", "-n", "-s", "last", "--json", "x")
      #expect(last.json["sessionId"].string == before, "\(last)")
    }
  }

  @Test("a session that was there before is kept, though nothing was said")
  func keeps() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let talk = try await Talk(in: world, "-s", id, "--json")
      talk.type(Talk.end)
      let outcome = try await talk.end()
      #expect(outcome.json["deleted"] == false, "\(outcome)")
      #expect(await world.oppi("ask", "-n", "-s", id, "x").status == 0)
    }
  }

  @Test("a window that is closed ends the chat")
  func closed() {
    inWorld { world, server in
      let talk = try await Talk(in: world)
      talk.terminal.close()
      try await talk.end()
    }
  }

  @Test("the screen is drawn anew after a stop by the shell")
  func continued() {
    inWorld { world, server in
      let talk = try await Talk(in: world)
      talk.type("half a message")
      try await talk.see("half a message")
      talk.terminal.signal(.suspendRequested)
      talk.terminal.signal(.continued)
      try await world.pass()
      #expect(talk.shows("half a message"), "\(talk.lines)")
      talk.type(Talk.clearLine)
      try await talk.leave()
    }
  }

  // MARK: - The connection

  @Test("what is typed while the server is away is shown as not sent, and arrives once it is back")
  func away() {
    inWorld { world, server in
      let talk = try await Talk(in: world)
      talk.say("hello")
      try await talk.see("The command printed: hi")
      await server.end(.killed)
      try await talk.see("connection lost")
      talk.say("are you back")
      try await talk.see("not sent yet: are you back")
      try await world.pass(.seconds(60))
      try server.start()
      try await talk.see("› are you back")
      try await talk.seeNo("not sent yet")
      try await talk.leave()
      #expect(server.heard == ["hello", "are you back"])
    }
  }

  @Test("who leaves while a message waits for a server that is away is told that it was not sent")
  func leavesUnsent() {
    inWorld { world, server in
      let talk = try await Talk(in: world)
      talk.say("hello")
      try await talk.see("The command printed: hi")
      await server.end(.killed)
      try await talk.see("connection lost")
      talk.say("are you back")
      try await talk.see("not sent yet: are you back")
      talk.type(Talk.end + Talk.end)
      let outcome = try await talk.end(status: 69)
      let line = "oppi: not sent, the session was unreachable: 'are you back'"
      #expect(outcome.errorLines.contains(line), "\(outcome)")
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a message whose fate is not known at the end is 6, and was not sent again")
  func leavesUnknown() {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      let talk = try await Talk(in: world)
      talk.say("hello")
      try await talk.see("The command printed: hi")
      trouble.begin { $0.isMessage("prompt") ? .hang : .proceed }
      talk.say("did you hear")
      try await world.pass(.seconds(1))
      talk.type(Talk.end)
      try await world.pass(.seconds(1))
      talk.type(Talk.end)
      let outcome = try await talk.end(status: 6)
      #expect(outcome.errors.contains("delivery unknown, not resent: 'did you hear'"), "\(outcome)")
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a connection that is only silent is noticed, and the chat goes on over another one")
  func silent() {
    inWorld { world, server in
      let talk = try await Talk(in: world)
      talk.say("hello")
      try await talk.see("The command printed: hi")
      world.network.dropConnections(at: server.address)
      try await world.pass(.seconds(120))
      talk.say("two tools")
      try await talk.see("Both are done.")
      try await talk.leave()
      #expect(server.heard == ["hello", "two tools"])
    }
  }

  @Test("a message that was not sent is named when the session cannot be reached")
  func brokenOff() {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      trouble.begin { $0.isRequest("/stream") ? .hang : .proceed }
      let terminal = world.start(["chat", "-w", "demo"])
      try await terminal.see("Session ")
      terminal.type("hello" + Talk.enter)
      let outcome = try await terminal.end()
      #expect(outcome.status == 69 && outcome.errors.contains("not sent"), "\(outcome)")
      #expect(outcome.errors.contains("message: hello"), "\(outcome)")
      #expect(outcome.errors.contains("timed out"), "\(outcome)")
    }
  }

  // MARK: - What is printed

  @Test("a narrow terminal folds the help between words", arguments: ["xterm", "dumb"])
  func foldedHelp(terminalName: String) {
    inWorld { world, server in
      func rows(_ columns: Int) async throws -> [String] {
        let terminal = world.start(
          ["chat", "-w", "demo"],
          columns: columns,
          rows: 60,
          environment: ["TERM": terminalName]
        )
        try await terminal.see("Session ")
        terminal.type("/help" + Talk.enter)
        try await terminal.see("/thinking")
        terminal.type(Talk.end)
        _ = try await terminal.end()
        return terminal.lines
      }
      let (wide, narrow) = (try await rows(200), try await rows(30))
      #expect(narrow.count > wide.count && narrow.allSatisfy { $0.count <= 30 }, "\(narrow)")
      let words = Set(narrow.dropFirst().flatMap(\.wordsOfRow))
      #expect(words.subtracting(wide.flatMap(\.wordsOfRow)) == [], "\(narrow)")
    }
  }

  // MARK: - A terminal that can only print

  @Test(
    "a terminal that can only print has the same abilities, line by line",
    arguments: PairedServer.Dialect.both
  )
  func dumb(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await Talk(in: world, terminalName: "dumb")
      talk.say("question")
      try await talk.see("answer with 'answer 1 NUMBER'")
      talk.say("answer 1 2")
      try await talk.see("answer with 'answer 2 NUMBER NUMBER…'")
      talk.say("answer 2 1 2")
      try await talk.see("You answered: extras: Lint, Docs")
      try await talk.see("turn finished")
      talk.say("deploy")
      try await talk.see("answer with 'allow 3'")
      talk.say("allow 4")
      try await talk.see("no pending request 4")
      talk.type("half a line" + Talk.interrupt)
      talk.type(Talk.interrupt)
      try await talk.see("turn stopped")
      talk.say("deploy")
      try await talk.see("answer with 'allow 4'")
      talk.say("deny 4 use a branch")
      try await talk.see("rejected: bash: git push origin main")
      talk.say("/name the fix")
      try await talk.see("name: the fix")
      try await world.pass()
      talk.type(Talk.end)
      let outcome = try await talk.end()
      #expect(!(outcome.output + outcome.errors).contains("\u{1B}"), "\(outcome)")
      #expect(server.heard == ["question", "deploy", "deploy", "use a branch"])
    }
  }
}
