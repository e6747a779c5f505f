// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import Testing

@testable import Oppi

/// `oppi approvals --decide` with servers, and `oppi deny --all`.
@Suite struct ApprovalsDecideTests {
  /// Marks the selected request allow, after reading it.
  private static func allow(_ terminal: VirtualTerminal, in world: World) async throws {
    try await terminal.type("\r", see: "Enter: mark")
    try await terminal.type("a", see: "▸a ")
    try await world.pass(.seconds(1))
    try await terminal.type("\r", see: "marked: allow")
  }

  /// Selects the choice that sends the marked decisions; Enter sends them.
  static func confirm(_ terminal: VirtualTerminal, in world: World) async throws {
    try await terminal.type("s", see: "Send: ")
    try await world.pass(.seconds(2))
    try await terminal.type("y", see: "▸y send")
    try await world.pass(.seconds(1))
  }

  private static func send(_ terminal: VirtualTerminal, in world: World) async throws {
    try await confirm(terminal, in: world)
    terminal.type("\r")
  }

  @Test(
    "marked requests are decided after the confirmation, with a result each",
    arguments: Dialect.both
  )
  func decides(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let wipe = try await world.session(asking: "wipe")
      let deploy = try await world.session(asking: "deploy")
      let terminal = world.start(["approvals", "--decide"])
      try await terminal.see("bash: git push origin main")
      try await terminal.type("jd", see: "deny ")
      try await terminal.type("j", see: "▸ bash: git push origin main")
      try await Self.allow(terminal, in: world)
      #expect(server.decisions == 0)
      try await Self.send(terminal, in: world)
      let outcome = try await terminal.end()
      #expect(outcome.status == 0 && terminal.isRestored, "\(outcome)")
      let rows = terminal.lines.filter { $0.contains("  once  ") }
      #expect(rows.map { $0.prefix { $0 != " " } } == ["denied", "approved"], "\(outcome)")
      try await world.pass()
      #expect(await world.oppi("show", "--", deploy).output == "The branch is pushed.\n")
      #expect(await world.oppi("show", "--", wipe).output == "Not cleared: Denied by user\n")
    }
  }

  @Test("leaving without the confirmation sends nothing")
  func leaves() {
    inWorld(.multiplexed) { world, server in
      _ = try await world.session(asking: "deploy")
      let terminal = world.start(["approvals", "--decide"])
      try await terminal.see("bash: git push origin main")
      try await terminal.type("jd", see: "deny ")
      try await terminal.type("q", see: "press q again")
      terminal.type("q")
      let outcome = try await terminal.end()
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("nothing was sent") && terminal.isRestored, "\(outcome)")
      #expect(server.decisions == 0)
    }
  }

  @Test("a request that is decided elsewhere before it is sent is reported as no longer pending")
  func late() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      _ = try await world.session(asking: "deploy")
      let id = try #require(await world.requestIDs().first)
      let terminal = world.start(["approvals", "--decide", "--json"])
      try await terminal.see("bash: git push origin main")
      terminal.type("j")
      try await Self.allow(terminal, in: world)
      try await terminal.type("s", see: "Send: allow 1, deny 0, leave 0?")
      try await world.pass(.seconds(2))
      try await terminal.type("y", see: "▸y send")
      // The servers answer nothing, so that the screen keeps its list.
      trouble.begin { $0.isRequest ? .hang : .proceed }
      try await world.pass(.seconds(1))
      terminal.type("\r")
      try await world.pass(.milliseconds(10))
      trouble.pending()
      let outcome = try await terminal.end()
      #expect(outcome.status == 5 && outcome.output.contains("too-late"), "\(outcome)")
      #expect(server.decisions == 0 && outcome.output.contains(id), "\(outcome)")
    }
  }

  @Test("without a terminal or cursor control, --decide names the commands that do the same")
  func refuses() {
    inWorld(.multiplexed) { world, _ in
      let piped = await world.oppi("approvals", "--decide")
      let dumb = try await world.start(
        ["approvals", "--decide"],
        environment: ["TERM": "dumb"]
      ).end()
      let lines = try await world.start(["approvals", "--decide", "--accessible"]).end()
      for outcome in [piped, dumb, lines] {
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains("oppi approve ID, oppi deny ID"), "\(outcome)")
      }
      #expect(await world.oppi("approvals", "--decide", "--watch").status == 64)
    }
  }

  @Test("an end of the terminal sends nothing and restores it")
  func closes() {
    inWorld(.multiplexed) { world, server in
      _ = try await world.session(asking: "deploy")
      let terminal = world.start(["approvals", "--decide"])
      try await terminal.see("bash: git push origin main")
      try await terminal.type("jds", see: "Send: ")
      terminal.close()
      _ = try await terminal.end()
      #expect(terminal.isRestored && server.decisions == 0)
    }
  }
}

/// `oppi deny --all`.
@Suite struct DenyAllTests {
  @Test("all requests of the workspace are denied after a confirmation, and no others")
  func denies() {
    inWorld(.multiplexed) { world, server in
      _ = try await world.session(asking: "deploy")
      _ = try await world.session(asking: "wipe")
      _ = await world.oppi("ask", "-q", "-w", "webapp", "deploy")
      try await world.pass()
      let piped = await world.oppi("deny", "--all", "-w", "demo")
      #expect(piped.status == 64 && piped.errors.contains("--yes"), "\(piped)")
      #expect(server.decisions == 0)
      let outcome = await world.oppi("deny", "--all", "-w", "demo", "--yes", "--json")
      let rows = outcome.json["decisions"].array ?? []
      #expect(outcome.status == 0 && rows.map(\.["state"]) == ["denied", "denied"], "\(outcome)")
      #expect(server.decisions == 2)
      #expect(await world.requestIDs().count == 1)
      let empty = await world.oppi("deny", "--all", "-w", "demo", "--yes")
      #expect(empty.status == 0 && empty.errors.contains("no pending requests"), "\(empty)")
    }
  }

  @Test("a request of an unknown workspace is left, and counted")
  func unknownWorkspace() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      trouble.pending(.call("request1", in: "session1", "ls"))
      #expect(await world.requestIDs() == ["request1"])
      let outcome = await world.oppi("deny", "--all", "-w", "demo", "--yes")
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("1 request of an unknown workspace left"), "\(outcome)")
      #expect(!server.requests.contains { $0.path.hasSuffix("/respond") })
    }
  }

  @Test("dialogs of any kind are cancelled")
  func dialogs() {
    inDialogWorld { world, server in
      _ = try await world.session(asking: "ask confirm")
      _ = try await world.session(asking: "ask input")
      let outcome = await world.oppi("deny", "--all", "-w", "demo", "--yes")
      #expect(outcome.status == 0 && outcome.lines.count == 2, "\(outcome)")
      #expect(await world.requestIDs().isEmpty)
    }
  }

  @Test("--all needs a workspace and no ids, and -w and --yes need --all")
  func usage() {
    inWorld(.multiplexed) { world, _ in
      let lines = [
        ["deny"], ["deny", "--all"], ["deny", "--all", "-w", "demo", "9T1a"],
        ["deny", "-w", "demo", "9T1a"], ["deny", "--yes", "9T1a"],
      ]
      for words in lines { #expect(await world.oppi(words).status == 64, "\(words)") }
    }
  }

  @Test("there is no approve --all, and its error says why")
  func approve() {
    inWorld(.multiplexed) { world, server in
      _ = try await world.session(asking: "deploy")
      for words in [["approve", "--all"], ["approve", "--all", "9T1a"]] {
        let outcome = await world.oppi(words, exits: 64)
        #expect(outcome.errors.contains("requests are read and approved one by one"), "\(outcome)")
      }
      #expect(server.decisions == 0)
      #expect(!(await world.oppi("approve", "--help").output.contains("--all")))
    }
  }
}
