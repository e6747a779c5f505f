// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The session that the runs of a shortcut continue.
@Suite struct ShortcutSessionTests {
  private static let add = ["shortcuts", "add", "x", "-w", "demo", "--session", "same"]
  private static let file = "\(World.home)/.local/state/oppi/shortcut-sessions.json"

  /// Replaces the recorded session by an id that the server does not know.
  private func lose(_ session: String, in world: World) {
    let known = String(decoding: world.disk.contents(of: Self.file) ?? [], as: UTF8.self)
    let gone = known.split(separator: session).joined(separator: "nowhere1")
    world.disk.put(Array(gone.utf8), at: Self.file)
  }

  @Test("--session same continues the shortcut's own session, or a new session if it is gone")
  func sameSession() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "--session", "same", "hello")
      let first = await world.oppi("run", "x")
      try await world.pass()
      await world.oppi("run", "x") { first.output == $0.output && server.sessionsMade == 1 }
      try await world.pass()
      lose(first.lines[0], in: world)
      await world.oppi("run", "x", exits: 0) { $0.output != first.output }
      #expect(server.heard == ["hello", "hello", "hello"])
    }
  }

  @Test("a shortcut whose workspace was changed does not continue its old session")
  func anotherWorkspace() {
    inWorld { world, server in
      let words = ["shortcuts", "add", "x", "--replace", "--session", "same", "-w"]
      _ = await world.oppi(words + ["demo", "hello"])
      _ = await world.oppi("run", "x")
      _ = await world.oppi(words + ["webapp", "hello"])
      await world.oppi("run", "x", "--json") { $0.json["workspace"]["name"] == "webapp" }
    }
  }

  @Test("a run continues the session of a previous run that was queued")
  func afterQueue() {
    inWorld { world, server in
      _ = await world.oppi(Self.add + ["--queue", "hello"])
      await world.lose(server)
      await world.oppi("run", "x", "--json") { $0.json["state"] == "outbox" }
      try server.start()
      let prompts = await world.oppi("outbox", "--json").json["prompts"].array
      #expect(prompts?.map(\.["shortcut"]) == ["x"])
      await world.oppi("outbox", "flush", exits: 0)
      try await world.pass()
      let next = await world.oppi("run", "x", "--json")
      #expect(next.json["sessionId"].string == server.runs.first?.sessionID, "\(next)")
      #expect(server.sessionsMade == 1 && server.heard == ["hello", "hello"])
    }
  }

  @Test("a new shortcut does not continue the session of a removed one with its name")
  func removed() {
    inWorld { world, server in
      await world.oppi(Self.add + ["--queue", "hello"], exits: 0)
      await world.lose(server)
      await world.oppi("run", "x", "--json") { $0.json["state"] == "outbox" }
      await world.oppi("shortcuts", "remove", "x", exits: 0)
      try server.start()
      await world.oppi("outbox", "flush", exits: 0)
      try await world.pass()
      await world.oppi(Self.add + ["hello"], exits: 0)
      await world.oppi("run", "x", exits: 0)
      #expect(server.heard == ["hello", "hello"] && server.sessionsMade == 2)
    }
  }

  @Test("queued runs continue a single session, in order")
  func severalQueued() {
    inWorld { world, server in
      _ = await world.oppi(Self.add + ["--queue", "say {{n}}"])
      await world.lose(server)
      for number in ["1", "2", "3"] {
        _ = await world.oppi("run", "x", "--var", "n=\(number)")
        try await world.pass()
      }
      try server.start()
      for _ in 0..<3 {
        _ = await world.oppi("outbox", "flush")
        try await world.pass(.seconds(90))
      }
      #expect(server.heard == ["say 1", "say 2", "say 3"], "\(server.heard)")
      #expect(server.sessionsMade == 1)
    }
  }

  @Test("a run is delivered after the queued runs")
  func comesAfter() {
    inWorld { world, server in
      _ = await world.oppi(Self.add + ["--queue", "say {{n}}"])
      _ = await world.oppi("run", "x", "--var", "n=0")
      await world.lose(server)
      _ = await world.oppi("run", "x", "--var", "n=1")
      try server.start()
      await world.oppi("run", "x", "--var", "n=2", "--json") { $0.json["state"] == "outbox" }
      _ = await world.oppi("outbox", "flush")
      #expect(server.heard == ["say 0", "say 1", "say 2"] && server.sessionsMade == 1)
    }
  }

  @Test("a queued run whose session is gone starts a new session, which the next run continues")
  func goneAtDelivery() {
    inWorld { world, server in
      _ = await world.oppi(Self.add + ["--queue", "hello"])
      let first = await world.oppi("run", "x")
      lose(first.lines[0], in: world)
      await world.lose(server)
      await world.oppi("run", "x", "--json") { $0.json["state"] == "outbox" }
      try server.start()
      await world.oppi("outbox", "flush", exits: 0) { $0.output.contains("\tdelivered\t") }
      #expect(server.sessionsMade == 2 && server.heard == ["hello", "hello"])
      try await world.pass()
      let next = await world.oppi("run", "x", "--json")
      #expect(next.json["sessionId"].string == server.runs.last?.sessionID, "\(next)")
      #expect(server.sessionsMade == 2)
    }
  }

  @Test("a repeated run is queued once, even if the session has changed meanwhile")
  func keptOnce() {
    inWorld { world, server in
      _ = await world.oppi(Self.add + ["--queue", "hello"])
      await world.lose(server)
      let first = await world.oppi("run", "x", "--json")
      let workspace = first.json["workspace"]["id"].string ?? ""
      let place: JSONValue = [
        "workspace": .string(workspace), "sessionId": "later001", "name": "demo",
      ]
      world.disk.put(Array(JSONValue.object(["x": place]).text().utf8), at: Self.file)
      let second = await world.oppi("run", "x", "--json")
      #expect(first.json["key"] == second.json["key"], "\(second)")
      #expect(second.json["again"] == true, "\(second)")
    }
  }

  @Test(
    "without a workspace of its own, a shortcut has a session for each workspace",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func anotherPlace(dialect: Dialect) {
    inWorld(dialect) { world, server in
      _ = await world.oppi("shortcuts", "add", "x", "--session", "same", "hello")
      for name in ["demo", "webapp", "webapp"] {
        let run = await world.oppi("run", "x", "--json", environment: ["OPPI_WORKSPACE": name])
        #expect(run.json["workspace"]["name"] == .string(name), "\(run)")
        try await world.pass()
      }
      #expect(server.sessionsMade == 2)
    }
  }

  @Test("session defaults from the settings do not make a repeated prompt a new prompt")
  func settings() {
    inWorld { world, server in
      _ = await world.oppi("config", "set", "thinking", "high")
      _ = await world.oppi(Self.add + ["hello"])
      await world.oppi("run", "x", "--key", "k", "--json") { $0.json["thinking"] == "high" }
      _ = await world.oppi("config", "set", "thinking", "low")
      await world.oppi("run", "x", "--key", "k", "--json", exits: 0) { $0.json["again"] == true }
      #expect(server.heard == ["hello"])
    }
  }

  @Test("the session keeps its level after the settings change")
  func keepsLevel() {
    inWorld { world, server in
      _ = await world.oppi("config", "set", "thinking", "high")
      _ = await world.oppi(Self.add + ["hello"])
      _ = await world.oppi("run", "x")
      try await world.pass()
      _ = await world.oppi("config", "set", "thinking", "low")
      let second = await world.oppi("run", "x", "--json")
      #expect(second.json["thinking"] == "high" && server.sessionsMade == 1, "\(second)")
    }
  }

  @Test("a replacement for a session that is gone has the level of the settings")
  func settingsAnew() {
    inWorld { world, server in
      _ = await world.oppi("config", "set", "thinking", "high")
      _ = await world.oppi(Self.add + ["--queue", "hello"])
      let first = await world.oppi("run", "x")
      lose(first.lines[0], in: world)
      let second = await world.oppi("run", "x", "--json")
      #expect(second.json["thinking"] == "high" && server.sessionsMade == 2, "\(second)")
    }
  }

  @Test("a run that is not queued is not reported as queued, however often it is tried")
  func notKept() {
    inWorld(where: \.limits.loadedSessionsPerWorkspace, is: 1) { world, server in
      _ = await world.oppi(Self.add + ["--after", "stop", "deploy"])
      let first = await world.oppi("run", "x")
      lose(first.lines[0], in: world)
      await world.oppi("run", "x", exits: 75) { !$0.errors.contains("outbox") }
      // Only the prompt whose session is to be ended.
      await world.oppi("outbox", "list", "--json") { $0.json["prompts"].array?.count == 1 }
    }
  }
}
