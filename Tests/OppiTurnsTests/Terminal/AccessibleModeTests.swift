// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The accessible mode of commands, with servers.
@Suite struct AccessibleModeTests {
  /// The console as a menu, whose simulated user waits before each line.
  private struct Desk {
    let terminal: VirtualTerminal
    let world: World

    init(in world: World, _ words: String...) async throws {
      self.world = world
      terminal = world.start(["console", "--accessible"] + words, columns: 200, rows: 200)
      try await terminal.see("main menu")
    }

    func type(_ line: String) async throws {
      try await world.pass(.seconds(2))
      terminal.type(line + "\r")
    }

    func type(_ line: String, see text: String) async throws {
      try await type(line)
      try await terminal.see(text)
    }

    func leave() async throws {
      try await type("q")
      let outcome = try await terminal.end(exits: 0)
      #expect(terminal.isRestored, "\(terminal.lines)")
      #expect(!(outcome.output + outcome.errors).contains("\u{1B}"), "\(outcome)")
    }
  }

  @Test("a session is peeked at, answered and stopped, and its chat is opened")
  func works() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let desk = try await Desk(in: world)
      #expect(desk.terminal.lines.first?.hasPrefix("Accessible mode is on") == true)
      try await desk.type("3", see: "1 idle, finished: hello")
      try await desk.type("1", see: "1 peek")
      try await desk.type("1", see: "Agent: The command printed: hi")
      try await desk.type("3", see: "type the message")
      try await desk.type("silent", see: "sent to \(id)")
      try await desk.type("r", see: "running: hello")
      try await desk.type("4", see: "type yes")
      try await desk.type("yes", see: "stopped the turn of \(id)")
      try await desk.type("r", see: "chat with the agent")
      try await desk.type("4", see: "opening the chat")
      try await world.pass()
      try await desk.type("two tools", see: "Agent: Both are done.")
      try await desk.type("/quit", see: "left the chat")
      try await desk.leave()
      #expect(server.heard == ["hello", "silent", "two tools"])
    }
  }

  @Test(
    "the console without cursor control is a menu, and says why",
    arguments: [[:], ["ACCESSIBLE": "1"]]
  )
  func dumb(variables: [String: String]) {
    inWorld { world, _ in
      let terminal = world.start(
        ["console"],
        environment: variables.merging(["TERM": "dumb"]) { $1 }
      )
      try await terminal.see("main menu")
      let cause = variables.isEmpty ? "a terminal without" : "the variable ACCESSIBLE"
      #expect(terminal.lines.first?.contains("because of \(cause)") == true, "\(terminal.lines)")
      terminal.type("\u{04}")
      #expect(try await terminal.end().status == 0)
    }
  }

  @Test(
    "follow prints labelled lines and ends with the outcome; a setting enables it, too",
    arguments: [true, false]
  )
  func follow(isSetting: Bool) {
    inWorld(where: \.pace, is: .seconds(1)) { world, _ in
      if isSetting { await world.oppi("config", "set", "accessible", "true", exits: 0) }
      _ = try await world.session(asking: "hello")
      let variables = isSetting ? [:] : ["ACCESSIBLE": "1"]
      let terminal = world.start(["follow", "last"], environment: variables)
      let outcome = try await terminal.end(exits: 0)
      #expect(!(outcome.output + outcome.errors).contains("\u{1B}"), "\(outcome)")
      #expect(terminal.lines.first?.hasPrefix("Accessible mode is on") == true)
      let start = terminal.lines.prefix(2).joined(separator: " ")
      let cause = isSetting ? "the setting accessible" : "the variable ACCESSIBLE"
      #expect(start.contains(cause), "\(start)")
      #expect(terminal.lines.contains("Agent: The command printed: hi"), "\(terminal.lines)")
      #expect(terminal.lines.last == "turn finished", "\(terminal.lines)")
    }
  }

  @Test(
    "the dialog of an extension has the label of what it needs, on every surface",
    arguments: ["chat -s", "follow", "show"],
    [
      (prompt: "ask confirm", label: "Approval: waiting for approval"),
      (prompt: "ask select", label: "Question: waiting for an answer"),
    ]
  )
  func dialogs(surface: String, dialog: (prompt: String, label: String)) {
    inWorld { world, _ in
      let session = try await world.session(asking: dialog.prompt)
      let words = surface.split(separator: " ").map(String.init) + [session, "--accessible"]
      let terminal = world.start(words, columns: 100, rows: 60)
      try await terminal.see(dialog.label)
      #expect(terminal.lines.contains { $0.hasPrefix(dialog.label) }, "\(terminal.lines)")
      _ = await world.oppi("stop", session)
      terminal.close()
      _ = try await terminal.end()
    }
  }

  @Test(
    "the option, the variable and the setting make records of lists, and TERM does not",
    arguments: ["--accessible", "ACCESSIBLE", "setting", "TERM"]
  )
  func lists(cause: String) {
    inWorld { world, _ in
      if cause == "setting" { await world.oppi("config", "set", "accessible", "true", exits: 0) }
      let variables = ["ACCESSIBLE": "1", "TERM": "dumb"].filter { $0.key == cause }
      let words = ["workspaces"] + (cause.hasPrefix("-") ? [cause] : [])
      let terminal = world.start(words, environment: variables)
      try await terminal.end(exits: 0)
      let isRecord = terminal.lines.contains { $0.hasPrefix("Name: demo") }
      #expect(isRecord == (cause != "TERM"), "\(terminal.lines)")
    }
  }

  @Test("ACCESSIBLE=0 keeps the tables, despite the setting")
  func disabled() {
    inWorld { world, _ in
      await world.oppi("config", "set", "accessible", "true", exits: 0)
      let terminal = world.start(["workspaces"], environment: ["ACCESSIBLE": "0"])
      try await terminal.end(exits: 0)
      #expect(!terminal.lines.contains { $0.hasPrefix("Name: ") }, "\(terminal.lines)")
    }
  }

  @Test("in a pipe, the mode changes nothing")
  func pipe() {
    inWorld { world, _ in
      _ = try await world.session(asking: "hello")
      let plain = await world.oppi("follow", "last")
      let spoken = await world.oppi("follow", "last", environment: ["ACCESSIBLE": "1"])
      #expect(plain.output == spoken.output && plain.errors == spoken.errors, "\(spoken)")
    }
  }

  // MARK: - Lines that were begun early

  @Test("a line that was begun before an open request changed does not decide the new one")
  func changedMeanwhile() {
    inTroubledWorld(.gated) { world, server, trouble in
      let session = try await world.session(asking: "deploy")
      let id = try #require(await world.requestIDs().first)
      let desk = try await Desk(in: world)
      try await desk.type("2", see: "1 sends data: bash: git push origin main")
      try await desk.type("1", see: "call: git push origin main")
      try await world.pass(.seconds(2))
      desk.terminal.type("1")
      let other = Intervention.pending([.call(id, in: session, "rm -rf /")])
      trouble.begin { $0.isRequest("/pending") ? other : .proceed }
      try await desk.terminal.see("call: rm -rf /")
      try await desk.terminal.see("set aside, not sent: 1")
      try await desk.type("", see: "in the list")
      trouble.end()
      try await desk.leave()
      #expect(server.decisions == 0)
    }
  }

  @Test(
    "a line that was begun before a request, or in the moment after it, does not decide it",
    arguments: [Duration.zero, .milliseconds(400)],
    [true, false]
  )
  func early(delay: Duration, isInMenu: Bool) {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "hello")
      let words = isInMenu ? ["console"] : ["chat", "-s", "last"]
      let terminal = world.start(words + ["--accessible"], columns: 200, rows: 200)
      func type(_ line: String) async throws {
        try await world.pass(.seconds(2))
        terminal.type(line + "\r")
      }
      if isInMenu {
        try await terminal.see("main menu")
        try await type("4")
        try await terminal.see("which session?")
        try await type("1")
      }
      try await terminal.see("The command printed: hi")
      try await type("deploy")
      if delay == .zero {
        try await terminal.type("1", see: "4 deny with a reason")
      } else {
        try await terminal.see("4 deny with a reason")
        try await world.pass(delay)
        terminal.type("1")
      }
      try await terminal.see("set aside, not sent: 1")
      try await type("")
      try await world.pass()
      #expect(server.decisions == 0, "\(terminal.lines)")
      try await type("1")
      try await terminal.see("allowed once")
      try await world.pass()
      terminal.close()
      _ = try await terminal.end()
      #expect(server.decisions == 1 && server.heard == ["hello", "deploy"])
    }
  }

  @Test("Ctrl-Z drops the line that was begun, so that Enter decides nothing")
  func suspended() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "deploy")
      let desk = try await Desk(in: world)
      try await desk.type("2", see: "1 sends data: bash: git push origin main")
      try await desk.type("1", see: "call: git push origin main")
      try await world.pass(.seconds(2))
      desk.terminal.type("1\u{1A}")
      try await world.pass(.seconds(2))
      let count = desk.terminal.lines.count { $0 == "call: git push origin main" }
      #expect(count == 2, "\(desk.terminal.lines)")
      try await desk.type("", see: "in the list")
      try await desk.leave()
      #expect(server.decisions == 0, "\(desk.terminal.lines)")
    }
  }

  @Test("Ctrl-Z drops the line that was begun, so that Enter selects nothing")
  func suspendedInMenu() {
    inWorld { world, server in
      _ = try await world.session(asking: "deploy")
      let desk = try await Desk(in: world)
      desk.terminal.type("1\u{1A}")
      try await desk.type("")
      try await world.pass(.seconds(2))
      let count = desk.terminal.lines.count { $0.hasPrefix("1 sends data") }
      #expect(count == 0, "\(desk.terminal.lines)")
      try await desk.leave()
    }
  }
}
