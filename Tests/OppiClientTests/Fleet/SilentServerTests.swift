// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Two servers of which one is down, or accepts connections and answers nothing.
@Suite struct SilentServerTests {
  /// Runs a test with the server studio and the server cellar, which can be frozen.
  private static func inTwo(
    _ dialect: Dialect = .deviceKeys,
    _ body:
      @escaping @Sendable (
        World, _ studio: VirtualServer, _ cellar: VirtualServer, _ frost: Trouble
      ) async throws -> Void
  ) {
    inWorld(dialect) { world, studio in
      let frost = Trouble()
      let cellar = try await world.addServer(named: "cellar") {
        ($0.dialect, $0.interceptor) = (dialect, frost.interceptor)
      }
      try await body(world, studio, cellar, frost)
    }
  }

  private static func deploy(_ world: World, on server: String) async throws -> (String, String) {
    let asked = await world.oppi("ask", "-q", "-w", "\(server)/demo", "deploy", exits: 0)
    try await world.pass()
    let rows = await world.oppi("approvals", "--server", server, "--json").json["approvals"].array
    return (
      try #require(asked.lines.first), try #require(rows?.first?["id"].string, "\(rows as Any)")
    )
  }

  // MARK: - Names

  @Test("the start of the id of a listed request is enough while another server is down")
  func listedRequest() {
    Self.inTwo { world, studio, cellar, _ in
      await cellar.end(.killed)
      let (_, id) = try await Self.deploy(world, on: "studio")
      await world.oppi("approve", "--", String(id.prefix(5)), exits: 0)
      #expect(studio.decisions == 1)
    }
  }

  @Test("the start of the id of a request that was not listed is not enough")
  func unlistedRequest() {
    inTroubledWorld(.gated) { world, studio, trouble in
      let cellar = try await world.addServer(named: "cellar") { $0.dialect = .gated }
      trouble.pending(.call("36b7-studio-1", "ls"))
      // The list of the server that is down had no match.
      await world.oppi("approvals", "--server", "cellar", exits: 0)
      await cellar.end(.killed)
      for command in ["approve", "deny"] {
        await world.oppi(command, "36b7", exits: 69, saying: "not every server was asked")
      }
      #expect(studio.decisions == 0)
    }
  }

  @Test("the start of the ids of two listed requests is not enough while a server is down")
  func twins() {
    let (here, there) = (Trouble(), Trouble())
    inWorld(.gated, where: \.interceptor, is: here.interceptor) { world, studio in
      let cellar = try await world.addServer(named: "cellar") {
        ($0.dialect, $0.interceptor) = (.gated, there.interceptor)
      }
      var sessions: [String] = []
      for server in ["studio", "cellar"] {
        let asked = await world.oppi("ask", "-q", "-w", "\(server)/demo", "hello", exits: 0)
        sessions += asked.lines
      }
      try await world.pass()
      here.pending(.call("36b7-studio-1", in: sessions[0], "ls"))
      there.pending(
        .call("36b7-cellar-1", in: sessions[1], "ls"),
        .call("9999-cellar-2", in: sessions[1], "ls")
      )
      await world.oppi("approvals", exits: 0)
      await cellar.end(.killed)
      let unclear = await world.oppi("approve", "36b7", exits: 69, saying: "Can't reach cellar")
      #expect(unclear.errors.contains("use its full name: 36b7-studio-1"), "\(unclear)")
      // The request of the server that is down cannot be decided.
      await world.oppi("approve", "9999", exits: 69, saying: "cellar could not be asked")
      #expect(studio.decisions == 0)
    }
  }

  @Test("the start of the id of a listed question is enough while another server is down")
  func listedQuestion() {
    inWorld { world, studio in
      let cellar = try await world.addServer(named: "cellar")
      await world.oppi("ask", "-q", "-w", "studio/demo", "gate", exits: 0)
      try await world.pass()
      let id = try #require(await world.requestIDs().first)
      await cellar.end(.killed)
      await world.oppi("answer", "--", String(id.prefix(5)), "Yes", exits: 0)
      #expect(studio.commands.count == 1)
    }
  }

  @Test("a name that nothing has names the servers that were asked, and those that were not")
  func unknown() {
    Self.inTwo { world, _, cellar, _ in
      _ = try await world.addServer(named: "attic")
      await cellar.end(.killed)
      for (words, thing) in [
        (["show"], "session"), (["stop"], "session"), (["approve"], "request"),
        (["approvals", "show"], "request"), (["ask", "hello", "-w"], "workspace"),
      ] {
        let outcome = await world.oppi(words + ["zzzz"], exits: 69)
        let servers = thing == "session" ? "studio, attic" : "attic, studio"
        #expect(
          outcome.errors.contains("no \(thing) 'zzzz' on \(servers); cellar could not be asked"),
          "\(outcome)"
        )
        #expect(outcome.errors.contains("hint: Can't reach cellar"), "\(outcome)")
      }
    }
  }

  // MARK: - A frozen server

  @Test("an action on what a known server has waits for no other")
  func known() {
    Self.inTwo { world, studio, _, frost in
      let (session, id) = try await Self.deploy(world, on: "studio")
      frost.begin { $0.isRequest ? .hang : .proceed }
      for words in [
        ["approvals", "show", id], ["approve", id], ["show", session],
        ["ask", "more", "-s", session], ["stop", session],
      ] {
        await world.oppi(words, exits: 0) { $0.elapsed < .seconds(1) }
      }
      #expect(studio.decisions == 1)
      let (_, other) = try await Self.deploy(world, on: "studio")
      let start = String(other.prefix(6))
      await world.oppi("deny", "--", start, exits: 0) { $0.elapsed < .seconds(2) }
      #expect(studio.decisions == 2)
      // The request is gone on the only server that had it.
      await world.oppi("deny", id, exits: 5) { $0.elapsed < .seconds(1) }
    }
  }

  @Test("two known requests wait for their servers only")
  func knownOnTwo() {
    Self.inTwo { world, studio, cellar, frost in
      let (_, here) = try await Self.deploy(world, on: "studio")
      let (_, there) = try await Self.deploy(world, on: "cellar")
      let frozen = Trouble()
      _ = try await world.addServer(named: "attic") { $0.interceptor = frozen.interceptor }
      frozen.begin { $0.isRequest ? .hang : .proceed }
      await world.oppi("deny", here, there, exits: 0) { $0.elapsed < .seconds(2) }
      #expect(studio.decisions == 1 && cellar.decisions == 1)
    }
  }

  @Test("a list shows the answers it has at the deadline, and until then for whom it waits")
  func lists() {
    Self.inTwo { world, _, _, frost in
      _ = try await Self.deploy(world, on: "studio")
      frost.begin { $0.isRequest ? .hang : .proceed }
      for words in [["approvals"], ["sessions"], ["workspaces"], ["status"], ["models"]] {
        let terminal = world.start(words, columns: 40)
        try await world.pass(.milliseconds(450))
        #expect(!terminal.lines.joined().contains("waiting for cellar"), "\(terminal.lines)")
        try await terminal.see("waiting for cellar…")
        let outcome = try await terminal.end()
        #expect(outcome.elapsed >= .seconds(5) && outcome.elapsed < .seconds(6), "\(outcome)")
        #expect(!terminal.lines.joined().contains("waiting for cellar"), "\(terminal.lines)")
        #expect(terminal.isRestored && terminal.lines.count > 1, "\(terminal.lines)")
      }
    }
  }

  @Test("nothing is printed in a pipe, with --quiet and with --json")
  func quiet() {
    Self.inTwo { world, _, _, frost in
      frost.begin { $0.isRequest ? .hang : .proceed }
      await world.oppi("sessions") { !$0.errors.contains("waiting for cellar") }
      for option in ["--quiet", "--json"] {
        let terminal = world.start(["sessions", option])
        try await world.pass(.seconds(2))
        #expect(!terminal.lines.joined().contains("waiting for cellar"), "\(terminal.lines)")
        _ = try await terminal.end()
      }
    }
  }

  @Test("an interruption removes the line that says for whom a list waits")
  func interrupted() {
    Self.inTwo { world, _, _, frost in
      frost.begin { $0.isRequest ? .hang : .proceed }
      let terminal = world.start(["sessions"])
      try await terminal.see("waiting for cellar…")
      terminal.type("\u{03}")
      try await terminal.end(exits: 130)
      #expect(!terminal.lines.joined().contains("waiting for cellar"), "\(terminal.lines)")
    }
  }

  @Test("a terminal that cannot move its cursor gets a line of its own")
  func dumb() {
    Self.inTwo { world, _, _, frost in
      frost.begin { $0.isRequest ? .hang : .proceed }
      let terminal = world.start(["sessions"], environment: ["TERM": "dumb"])
      _ = try await terminal.end()
      #expect(terminal.lines.count { $0 == "waiting for cellar…" } == 1, "\(terminal.lines)")
    }
  }
}
