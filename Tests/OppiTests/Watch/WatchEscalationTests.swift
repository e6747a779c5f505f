// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The steps of `oppi watch` for requests that stay pending.
@Suite struct WatchEscalationTests {
  static let still = "Still waiting for approval: studio/demo"
  /// Tenths of the time between two steps.
  static func tenths(_ count: Int) -> Duration { .seconds(12 * count) }

  /// A world whose requests do not expire, with the settings of a watch; `page` is a program.
  static func with(
    _ settings: [(name: String, value: String)],
    on dialect: Dialect = .deviceKeys,
    _ body: @escaping @Sendable (World, VirtualServer, Trouble) async throws -> Void
  ) {
    inTroubledWorld(dialect) {
      $0.approvalTimeout = nil
    } _: { world, server, trouble in
      world.programs.put("page", printing: "")
      for (name, value) in settings {
        await world.oppi("config", "set", name, value, exits: 0)
      }
      try await body(world, server, trouble)
    }
  }

  static let all = [
    ("notify.again", "2m"), ("notify.escalate", "page --urgent"), ("notify.deny-after", "6m"),
  ]

  static func pages(_ world: World) -> Int {
    world.programs.runs.count { $0.arguments.first == "page" }
  }

  @Test("a pending request is notified again, passed to the command and denied, each once")
  func steps() {
    Self.with(Self.all) { world, server, _ in
      let watching = try await Watching("--json", in: world)
      let session = try await world.session(asking: "deploy")
      try await world.pass(Self.tenths(9))
      #expect(watching.count(of: Self.still) == 0)
      try await world.pass(Self.tenths(2))
      #expect(watching.count(of: Self.still) == 1 && watching.summaries == [Self.still])
      #expect(Self.pages(world) == 0)
      try await world.pass(Self.tenths(10))
      #expect(Self.pages(world) == 1 && server.decisions == 0)
      try await world.pass(Self.tenths(10))
      #expect(server.decisions == 1 && watching.count(of: "Denied by notify.deny-after") == 1)
      #expect(await world.oppi("show", "--", session).output == "Not pushed: Blocked by user\n")
      try await world.pass(Self.tenths(22))
      #expect(watching.count(of: Self.still) == 1 && Self.pages(world) == 1)
      #expect(server.decisions == 1)
      let lines = await watching.end().jsonLines
      let steps = lines.map { $0["kind"].string ?? $0["type"].string ?? "" }
      #expect(steps == ["approval", "again", "escalation", "decision", "finished"], "\(lines)")
      #expect(lines[2]["state"] == "passed" && lines[3]["state"] == "denied")
      #expect(lines[3]["rule"] == "notify.deny-after")
    }
  }

  @Test("the command gets the request on standard input, and nothing from a server elsewhere")
  func input() throws {
    Self.with(Self.all) { world, server, _ in
      _ = try await Watching(in: world)
      let id = try await world.request(asking: "deploy")
      try await world.pass(Self.tenths(22))
      let run = try #require(world.programs.runs.first { $0.arguments.first == "page" })
      #expect(run.arguments == ["page", "--urgent"] && run.environment == nil)
      #expect(run.output == .discarded)
      let json = try JSONValue(parsing: run.input)
      #expect(json["type"] == "request" && json["id"].string == id, "\(json)")
      #expect(json.text().contains("git push origin main") && json["goal"] == "deploy", "\(json)")
      #expect(json["pendingSince"].string != nil && json["server"]["name"] == "studio")
    }
  }

  @Test("with --private the command gets no contents")
  func isPrivate() {
    Self.with(Self.all) { world, server, _ in
      let watching = try await Watching("--private", in: world)
      let id = try await world.request(asking: "deploy")
      try await world.pass(Self.tenths(22))
      let run = try #require(world.programs.runs.first { $0.arguments.first == "page" })
      let json = try JSONValue(parsing: run.input)
      #expect(json["id"].string == id && json["input"] == .null && json["goal"] == .null)
      #expect(!String(decoding: run.input, as: UTF8.self).contains("push"))
      let outcome = await watching.end()
      #expect(!outcome.output.contains("push"), "\(outcome)")
    }
  }

  @Test("a request that is decided in between has no further steps")
  func decided() {
    Self.with(Self.all) { world, server, _ in
      let watching = try await Watching(in: world)
      let id = try await world.request(asking: "deploy")
      try await world.pass(Self.tenths(11))
      #expect(watching.count(of: Self.still) == 1)
      _ = await world.oppi("approve", "--", id)
      try await world.pass(Self.tenths(31))
      #expect(Self.pages(world) == 0 && server.decisions == 1)
      #expect(!watching.summaries.contains(Self.still), "it is withdrawn")
    }
  }

  @Test("a watch that is started again continues with the next step, and repeats none")
  func restarts() {
    Self.with(Self.all) { world, server, _ in
      let first = try await Watching(in: world, asking: "deploy")
      try await world.pass(Self.tenths(11))
      #expect(first.count(of: Self.still) == 1)
      _ = await first.end()
      try await world.pass(Self.tenths(5))
      let second = try await Watching(in: world)
      try await world.pass(Self.tenths(6))
      #expect(second.count(of: Self.still) == 0 && Self.pages(world) == 1)
      _ = await second.end()
      let third = try await Watching(in: world)
      try await world.pass(Self.tenths(15))
      #expect(third.count(of: Self.still) == 0 && Self.pages(world) == 1)
      #expect(server.decisions == 1)
      _ = await third.end()
    }
  }

  @Test("of two watches in different sessions of one user, one takes each step")
  func two() {
    Self.with(Self.all) { world, server, _ in
      let first = try await Watching(in: world)
      let environment = ["XDG_RUNTIME_DIR": "/run/user/1000"]
      let second = try await Watching(in: world, environment: environment, asking: "deploy")
      try await world.pass(Self.tenths(42))
      #expect(second.count(of: "Waiting for approval: studio/demo") == 1)
      #expect(first.count(of: Self.still) + second.count(of: Self.still) == 1)
      #expect(Self.pages(world) == 1 && server.decisions == 1)
      _ = await second.end()
      _ = await first.end()
    }
  }

  @Test("after the machine slept, each overdue step is taken once")
  func sleeps() {
    Self.with(Self.all) { world, server, _ in
      let watching = try await Watching(in: world, asking: "deploy")
      world.kernel.jumpDay(by: .seconds(8 * 3600))
      try await world.pass(Self.tenths(5))
      #expect(watching.count(of: Self.still) == 1 && Self.pages(world) == 1)
      #expect(server.decisions == 1)
      try await world.pass(Self.tenths(22))
      #expect(watching.count(of: Self.still) == 1 && Self.pages(world) == 1)
      #expect(server.decisions == 1)
    }
  }

  @Test("a clock that is set back does not delay a step by more than its time")
  func clockBack() {
    Self.with([("notify.deny-after", "2m")]) { world, server, _ in
      _ = try await Watching(in: world, asking: "deploy")
      try await world.pass(Self.tenths(1))
      world.kernel.jumpDay(by: .seconds(-8 * 3600))
      try await world.pass(Self.tenths(20))
      #expect(server.decisions == 1)
    }
  }

  @Test("without an answer of the server since its time, no step is taken")
  func silent() {
    Self.with(Self.all, on: .gated) { world, server, trouble in
      let watching = try await Watching(in: world, asking: "deploy")
      trouble.begin { $0.isRequest ? .answer(status: 503, error: "down") : .proceed }
      try await world.pass(Self.tenths(1))
      world.kernel.jumpDay(by: .seconds(8 * 3600))
      try await world.pass(Self.tenths(10))
      #expect(watching.count(of: Self.still) == 0 && Self.pages(world) == 0)
      #expect(server.decisions == 0)
      trouble.at("/pending", .answer(json: ["pending": [], "serverTime": 1]))
      try await world.pass(Self.tenths(10))
      #expect(watching.count(of: Self.still) == 0 && Self.pages(world) == 0)
      #expect(server.decisions == 0, "it was decided meanwhile")
    }
  }

  @Test("another call under the same id starts again, and is not denied for the earlier one")
  func changes() {
    Self.with([("notify.deny-after", "2m")], on: .gated) { world, server, trouble in
      let session = try await world.session(asking: "hello")
      trouble.pending(.call("same1", in: session, "ls"))
      _ = try await Watching(in: world)
      try await world.pass(Self.tenths(6))
      trouble.pending(.call("same1", in: session, "rm -rf /"))
      try await world.pass(Self.tenths(6))
      #expect(server.decisions == 0)
      try await world.pass(Self.tenths(6))
      #expect(server.decisions == 1)
    }
  }

  @Test("a command that fails is a warning and is not run again, and one that hangs delays nothing")
  func failure() {
    for hangs in [false, true] {
      Self.with(Self.all) { world, server, _ in
        world.programs.put("page") { [loop = world.loop] _ in
          if hangs { try? await loop.sleep(for: .seconds(3600)) }
          return ChildProcess.Outcome(status: 3)
        }
        let watching = try await Watching(in: world, asking: "deploy")
        for _ in 0..<200 where Self.pages(world) == 0 { try await world.pass(.seconds(10)) }
        _ = await world.oppi("ask", "-q", "-w", "webapp", "wipe")
        try await world.pass(.seconds(4))
        #expect(watching.count(of: "Waiting for approval: studio/webapp") == 1)
        try await world.pass(Self.tenths(8))
        #expect(Self.pages(world) == 1)
        let outcome = await watching.end()
        let reason = hangs ? "took longer than 10 s" : "exited with status 3"
        let warnings = outcome.errorLines.filter { $0.contains("notify.escalate failed") }
        #expect(warnings.count == 1 && warnings[0].contains(reason), "\(outcome)")
      }
    }
  }

  @Test("a dialog is cancelled")
  func dialogs() {
    inWorld { world, server in
      _ = await world.oppi("config", "set", "notify.deny-after", "2m")
      let watching = try await Watching(in: world, asking: "ask confirm")
      try await world.pass(Self.tenths(9))
      #expect(server.commands.isEmpty)
      try await world.pass(Self.tenths(2))
      #expect(server.commands.count == 1 && server.commands[0]["confirmed"] != true)
      #expect(watching.count(of: "Cancelled by notify.deny-after") == 1)
    }
  }
}
