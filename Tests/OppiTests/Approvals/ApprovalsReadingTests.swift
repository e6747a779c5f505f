// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import Simulation
import TestSupport
import Testing

@testable import Oppi

/// The listing, the details and the log of approval requests.
@Suite struct ApprovalsReadingTests {
  @Test(
    "pending requests of all servers are listed, the highest risk first",
    arguments: Dialect.both
  )
  func list(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let push = try await world.session(asking: "deploy")
      let wipe = try await world.session(asking: "wipe")
      let outcome = await world.oppi("approvals", "--json", exits: 0)
      let rows = outcome.json["approvals"].array ?? []
      #expect(rows.map(\.["sessionId"].string) == [wipe, push], "\(outcome)")
      #expect(rows.map(\.["risk"]) == ["destructive", "exfiltration"])
      #expect(rows.first?["input"] == ["command": "rm -rf ./build"])
      #expect(rows.first?["goal"] == "wipe")
      #expect(rows.first?["secondsLeft"].int.map { (110...115).contains($0) } == true, "\(outcome)")
      #expect(await world.requestIDs("--high-risk") == [rows[0]["id"].string])
      #expect(await world.requestIDs("--expiring").isEmpty)
      try await world.pass(.seconds(90))
      #expect(await world.requestIDs("--expiring").count == 2)
      try await world.pass(.seconds(60))
      let none = await world.oppi("approvals")
      #expect(none.status == 0 && none.errors == "no pending approvals\n", "\(none)")
    }
  }

  @Test("a request is shown in full, with hidden characters escaped and counted")
  func show() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      let lines = (1...60).map { "echo line-\($0)" } + ["echo safe\u{202E}\u{1B}[8m # sudo rm"]
      trouble.pending(.call("aaaa11112222", lines.joined(separator: "\n")))
      let outcome = await world.oppi("approvals", "show", "aaaa", exits: 0)
      for line in lines.dropLast() { #expect(outcome.lines.contains("  \(line)")) }
      #expect(outcome.output.contains(#"  echo safe\u{202E}\u{1B}[8m # sudo rm"#), "\(outcome)")
      #expect(outcome.output.contains("2 hidden characters"), "\(outcome)")
      #expect(outcome.output.contains("high risk"), "\(outcome)")
      #expect(outcome.output.contains("time: no time limit"), "\(outcome)")
    }
  }

  @Test("an ambiguous id prefix is rejected")
  func ambiguous() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      trouble.pending(.call("aaaa1", "ls"), .call("aaaa2", "ls"), .call("aaaa", "ls"))
      // A complete id is not ambiguous, even if other ids start with it.
      #expect(await world.oppi("approvals", "show", "aaaa").status == 0)
      #expect(await world.oppi("approvals", "show", "aaa").status == 64, "too short")
      trouble.pending(.call("aaaa1", "ls"), .call("aaaa2", "ls"))
      let outcome = await world.oppi("approve", "aaaa")
      #expect(outcome.status == 64 && server.decisions == 0, "\(outcome)")
    }
  }

  @Test("the log lists the decisions of users, and with --all also those of rules")
  func log() {
    inWorld(.multiplexed) { world, server in
      let (session, id) = try await world.waiting(asking: "deploy")
      _ = await world.oppi("approve", "--", id)
      _ = try await world.session(asking: "hello")
      let outcome = await world.oppi("approvals", "log")
      #expect(outcome.lines.count == 1, "\(outcome)")
      #expect(
        outcome.lines.first?.hasSuffix(
          "\tallow\tuser\tonce\tstudio/\(session)\tbash\tgit push origin main\tboth\tconfirmed\tallow once"
        )
          == true,
        "\(outcome)"
      )
      #expect(await world.oppi("approvals", "log", "--all").lines.count == 2)
      #expect(await world.oppi("approvals", "log", "--all", "-s", session).lines.count == 1)
    }
  }

  @Test(
    "--watch reports each request once when it arrives, and once when it is gone",
    arguments: DecidingPerson.Kind.allCases
  )
  func watch(kind: DecidingPerson.Kind) {
    DecisionSurfaceTests.withServer(of: kind) { world, _, _ in
      let program = world.program()
      let watching = Task(executorPreference: world.loop) {
        await program.run(["approvals", "--watch", "--json"])
      }
      try await world.pass()
      let id = try await world.request(asking: kind.prompt)
      try await world.pass()
      _ = await world.oppi("deny", "--", id)
      try await world.pass()
      program.interrupt()
      let told = await watching.value.jsonLines.map { [$0["type"].string, $0["id"].string] }
      #expect(told == [["requested", id], ["gone", id]])
    }
  }
}
