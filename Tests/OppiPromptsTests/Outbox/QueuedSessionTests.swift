// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// `oppi ask --queue --session` while the server is down.
@Suite struct QueuedSessionTests {
  private static func words(_ session: String) -> [String] {
    ["ask", "--queue", "--json", "--session=\(session)", "two tools"]
  }

  /// The states of the prompts in the outbox.
  private static func states(in world: World) async -> [String] {
    let list = await world.oppi("outbox", "list", "--all", "--json")
    return list.json["prompts"].elements { $0["state"].string }
  }

  @Test(
    "a prompt for the full id of a session is queued once, and delivered to the session",
    arguments: Dialect.all,
    ["", "studio/"]
  )
  func fullID(dialect: Dialect, server name: String) {
    inWorld(dialect) { world, server in
      let session = try await world.session(asking: "hello")
      await world.lose(server)
      let kept = await world.oppi(Self.words(name + session), exits: 0)
      #expect(kept.json["state"] == "outbox", "\(kept)")
      for word in [name + session, "last"] {
        let again = await world.oppi(Self.words(word), exits: 0)
        #expect(again.json["again"] == true && again.json["key"] == kept.json["key"], "\(again)")
      }
      try server.start()
      await world.oppi("outbox", "flush", exits: 0)
      try await world.pass()
      #expect(server.heard == ["hello", "two tools"])
      #expect(server.runs.map(\.sessionID) == [session, session])
      #expect(await Self.states(in: world).isEmpty)
    }
  }

  @Test("a queued prompt is the same one when its server is back", arguments: Dialect.all)
  func again(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let session = try await world.session(asking: "hello")
      await world.lose(server)
      await world.oppi(Self.words(session), exits: 0)
      try server.start()
      await world.oppi(Self.words(session), exits: 0)
      await world.oppi("outbox", "flush")
      try await world.pass()
      #expect(server.heard == ["hello", "two tools"])
    }
  }

  @Test("a prompt that was sent to a session by its id alone does not run again")
  func lostAnswer() {
    inTroubledWorld { world, server, trouble in
      let session = try await world.session(asking: "hello")
      await world.lose(server)
      await world.oppi(Self.words(session), exits: 0)
      try server.start()
      trouble.losePrompt()
      await world.oppi("outbox", "flush", exits: 75)
      #expect(await Self.states(in: world) == ["checking"])
      trouble.end()
      await world.oppi("outbox", "flush", exits: 0)
      try await world.pass()
      #expect(server.heard == ["hello", "two tools"])
    }
  }

  @Test("a prompt for a session that does not exist fails at its delivery")
  func unknown() {
    inWorld { world, server in
      _ = try await world.session(asking: "hello")
      await world.lose(server)
      await world.oppi(Self.words("7c0e1f2a-0000-4000-8000-000000000001"), exits: 0)
      try server.start()
      await world.oppi("outbox", "flush", exits: 66)
      #expect(await Self.states(in: world) == ["failed"])
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a prompt for a session of one of several servers is queued only if the server is certain")
  func severalServers() {
    inWorld { world, server in
      let session = try await world.session(asking: "hello")
      _ = try await world.addServer(named: "office")
      await world.lose(server)
      let start = session.prefix(6)
      for word in ["7c0e1f2a-0000-4000-8000-000000000001", "\(start)", "studio/\(start)"] {
        let outcome = await world.oppi(Self.words(word), exits: 69, saying: "was not queued")
        #expect(outcome.errors.contains("SERVER/ID"), "\(outcome)")
      }
      #expect(await Self.states(in: world).isEmpty)
      // Nothing was to be queued.
      let direct = await world.oppi("ask", "--session=\(session)", "two tools", exits: 69)
      #expect(!direct.errors.contains("queued"), "\(direct)")
      // The history has the session of the first prompt.
      for word in [session, "studio/\(session)"] {
        await world.oppi(Self.words(word), exits: 0) { $0.json["state"] == "outbox" }
      }
      try server.start()
      await world.oppi("outbox", "flush", exits: 0)
      try await world.pass()
      #expect(server.heard == ["hello", "two tools"])
    }
  }
}
