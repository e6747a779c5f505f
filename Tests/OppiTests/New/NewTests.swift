// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi new` and `oppi launch`.
@Suite struct NewTests {
  private static let file = "\(World.home)/.local/state/oppi/launch-target.json"

  @Test("the target is the named workspace, stored in a file and printed")
  func named() {
    inWorld { world, server in
      let outcome = await world.oppi("new", "-w", "webapp", "--print-target")
      let target = outcome.json
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
      #expect(target["workspaceId"].string == server.workspaces[1].id, "\(outcome)")
      #expect(target["serverId"].string == server.reference?.serverID.text, "\(outcome)")
      let file = try #require(world.disk.contents(of: Self.file), "\(world.disk.paths)")
      #expect(try JSONValue(parsing: file)["workspaceId"] == target["workspaceId"])
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("without a name, the target is the first workspace, and later the last used workspace")
  func unnamed() {
    inWorld { world, server in
      let first = await world.oppi("new", "--print-target")
      #expect(first.json["workspaceId"].string == server.workspaces[0].id, "\(first)")
      _ = await world.oppi("ask", "-q", "-w", "webapp", "hello")
      let last = await world.oppi("new", "--print-target")
      #expect(last.json["workspaceId"].string == server.workspaces[1].id, "\(last)")
    }
  }

  @Test("a known workspace needs no network")
  func offline() {
    inWorld { world, server in
      _ = await world.oppi("workspaces")
      await server.end(.killed)
      let outcome = await world.oppi("new", "-w", "demo", "--print-target", exits: 0)
      #expect(outcome.elapsed < .milliseconds(100), "\(outcome)")
    }
  }

  @Test("only one of two concurrent launches gets the target")
  func launchedOnce() {
    inWorld { world, server in
      _ = await world.oppi("new", "--print-target")
      let other = world.begin("launch", "--print")
      let outcomes = [await world.oppi("launch", "--print"), await other.value]
      #expect(Set(outcomes.map(\.status)) == [0, 66], "\(outcomes)")
      #expect(outcomes.flatMap(\.lines).count == 1, "\(outcomes)")
      #expect(server.sessionsMade == 1)
      #expect(world.disk.contents(of: Self.file) == nil)
    }
  }

  @Test("a target older than a minute is discarded, and no session is created")
  func old() {
    inWorld { world, server in
      _ = await world.oppi("new", "--print-target")
      try await world.pass(.seconds(61))
      await world.oppi("launch", "--print", exits: 66) { $0.errors.contains("discarded") }
      let again = await world.oppi("launch", "--print", "--json", saying: "no launch target")
      #expect(again.error["code"] == "no-launch-target", "\(again)")
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("on a terminal, a launch opens a chat in the new session")
  func talks() {
    inWorld { world, server in
      _ = await world.oppi("new", "-w", "webapp", "--print-target")
      let terminal = world.start(["launch"])
      try await terminal.see("Enter: send")
      try await terminal.type("hello\r", see: "The command printed: hi")
      terminal.type("\u{04}")
      #expect(try await terminal.end().status == 0, "\(terminal.lines)")
      #expect(server.heard == ["hello"] && server.sessionsMade == 1)
    }
  }
}
