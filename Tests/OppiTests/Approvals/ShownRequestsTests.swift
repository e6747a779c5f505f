// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import TestSupport
import Testing

@testable import Oppi

/// What a command has shown in full is what a later one approves or answers.
@Suite struct ShownRequestsTests {
  private static func entry(
    _ command: String,
    id: String = "call00001111",
    of server: Int = 1,
    in session: String = "S"
  ) -> ShownRequests.Entry {
    ShownRequests.Entry(.call(id, command), of: FleetLife.serverID(server), in: session)
  }

  @Test("a request differs only from the one of its server, its session and its id")
  func differ() {
    var shown = ShownRequests()
    #expect(!shown.differ(from: Self.entry("ls")))
    shown.add(Self.entry("ls"))
    #expect(!shown.differ(from: Self.entry("ls")))
    #expect(shown.differ(from: Self.entry("rm")))
    for other in [
      Self.entry("rm", id: "othr00001111"), Self.entry("rm", of: 2), Self.entry("rm", in: "T"),
    ] {
      #expect(!shown.differ(from: other), "\(other)")
    }
    shown.add(Self.entry("rm"))
    #expect(!shown.differ(from: Self.entry("rm")) && shown.differ(from: Self.entry("ls")))
    shown.remove(Self.entry("rm"))
    #expect(!shown.differ(from: Self.entry("ls")))
  }

  @Test("a session is answered only for the request that was shown last of it")
  func session() {
    var shown = ShownRequests()
    #expect(!shown.differInSession(from: Self.entry("ls")))
    shown.add(Self.entry("ls", id: "a"))
    shown.add(Self.entry("ls", id: "b"))
    shown.add(Self.entry("ls", id: "c", in: "T"))
    shown.add(Self.entry("ls", id: "c", of: 2))
    #expect(!shown.differInSession(from: Self.entry("ls", id: "b")))
    #expect(shown.differInSession(from: Self.entry("rm", id: "b")))
    #expect(shown.differInSession(from: Self.entry("ls", id: "a")))
    shown.add(Self.entry("ls", id: "a"))
    #expect(!shown.differInSession(from: Self.entry("ls", id: "a")))
    #expect(!shown.differInSession(from: Self.entry("ls", id: "a", in: "U")))
  }

  @Test("beyond the limit the oldest are forgotten")
  func bounded() {
    var shown = ShownRequests()
    for number in 0...ShownRequests.countLimit { shown.add(Self.entry("ls", id: "\(number)")) }
    #expect(shown.entries.count == ShownRequests.countLimit)
    #expect(!shown.differ(from: Self.entry("rm", id: "0")))
    #expect(shown.differ(from: Self.entry("rm", id: "1")))
  }

  @Test("a call that changed since it was shown is not approved, and can be denied")
  func approve() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      trouble.pending(.call("call00001111", "ls"))
      // A damaged record is replaced.
      world.disk.put(Array("{".utf8), at: "\(World.home)/.local/state/oppi/shown-requests.json")
      let shown = await world.oppi("approvals", "show", "call00001111", exits: 0)
      #expect(!shown.errors.contains("warning"), "\(shown)")
      trouble.pending(.call("call00001111", "rm -rf /"))
      let changed = await world.oppi("approve", "call00001111", exits: 5)
      #expect(changed.errors.contains("has changed since it was shown"), "\(changed)")
      #expect(changed.errors.contains("oppi approvals show call00001111"), "\(changed)")
      #expect(server.decisions == 0)
      _ = await world.oppi("deny", "call00001111")
      #expect(server.decisions == 1)
      _ = await world.oppi("approvals", "show", "call00001111", exits: 0)
      _ = await world.oppi("approve", "call00001111")
      #expect(server.decisions == 2)
    }
  }

  @Test(
    "a session whose question is another one than the one that was shown gets no answer",
    arguments: ["SESSION", "last"]
  )
  func answer(name: String) {
    inDialogWorld { world, server in
      let session = try await world.session(asking: "two gates")
      let word = name == "last" ? name : session
      let first = try #require(await world.requestIDs().first)
      _ = await world.oppi("approvals", "show", first, exits: 0)
      let count = server.commands.count
      await world.oppi("deny", "--", first, exits: 0)
      let other = await world.oppi("answer", "--", word, "Yes", exits: 5)
      #expect(other.errors.contains("now asks another question"), "\(other)")
      #expect(other.errors.contains("oppi answer \(session)"), "\(other)")
      #expect(server.commands.count == count + 1)
      _ = await world.oppi("answer", "--", word, exits: 0)
      _ = await world.oppi("answer", "--", word, "Yes", exits: 0)
    }
  }
}
