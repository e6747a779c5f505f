// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// `oppi history` and `oppi ask --again`.
@Suite struct HistoryTests {
  @Test("prompts are listed with their states, the latest first")
  func lists() {
    inWorld { world, server in
      _ = await world.oppi("ask", "-w", "demo", "hello")
      _ = await world.oppi("ask", "-w", "demo", "--wait", "fail now")
      await server.end(.inOrder)
      _ = await world.oppi("ask", "-w", "demo", "--queue", "later")
      _ = await world.oppi("ask", "-w", "demo", "never")
      let list = await world.oppi("history", "--json")
      let asks = list.json["asks"].array ?? []
      #expect(asks.map(\.["number"]) == [4, 3, 2, 1], "\(list)")
      #expect(list.json["history"] == list.json["asks"], "\(list)")
      #expect(asks.map(\.["prompt"].string) == ["never", "later", "fail now", "hello"])
      #expect(asks.map(\.["state"].string) == ["not-sent", "outbox", "failed", "accepted"])
      #expect(asks[0]["place"] == "studio/demo" && asks[0]["sessionId"] == .null)
      await world.oppi("history", "--limit", "1") { $0.lines.map(\.first) == ["4"] }
    }
  }

  @Test("--costs counts a prompt to a session for the workspace of the session")
  func costsOfSession() {
    inWorld { world, server in
      await world.oppi("ask", "-w", "demo", "hello", exits: 0)
      let other = try #require(await world.oppi("ask", "-q", "-w", "webapp", "hello").lines.first)
      try await world.pass()
      await world.oppi("ask", "-s", other, "again", exits: 0)
      let costs = await world.oppi("history", "--costs", "--json")
      let rows = costs.json["costs"].array ?? []
      let places = rows.map { "\($0["place"].string ?? "") \($0["prompts"].int ?? 0)" }
      #expect(places == ["studio/demo 1", "studio/webapp 2"], "\(costs)")
      await world.oppi("history", "--clear", exits: 0)
      await world.oppi("ask", "-s", other, "once more", exits: 0)
      let listed = await world.oppi("history", "--costs", "--json")
      let place = listed.json["costs"].array?.first?["place"].string
      #expect(place == "studio/webapp", "a workspace that no prompt names has its listed name")
    }
  }

  private static func states(_ world: World) async -> [String?] {
    let list = await world.oppi("history", "--json")
    return (list.json["asks"].array ?? []).map(\.["state"].string)
  }

  @Test("queued prompts are listed with their final states")
  func outbox() {
    inWorld { world, server in
      await world.keep("later", for: server)
      _ = await world.oppi("ask", "--queue", "--expires", "1m", "-w", "demo", "too late")
      #expect(await Self.states(world) == ["outbox", "outbox"])
      try await world.pass(.seconds(120))
      try server.start()
      _ = await world.oppi("outbox", "flush")
      #expect(await Self.states(world) == ["expired", "accepted"])
      let list = await world.oppi("history", "--json")
      #expect(list.json["asks"].array?.last?["sessionId"].string == server.runs.first?.sessionID)
      await server.end(.inOrder)
      _ = await world.oppi("ask", "--queue", "--key", "no", "-w", "demo", "not that")
      _ = await world.oppi("outbox", "drop", "no")
      #expect(await Self.states(world) == ["dropped", "expired", "accepted"])
    }
  }

  @Test("a queued prompt with unknown delivery is listed as unknown until a flush settles it")
  func lost() {
    inTroubledWorld { world, server, trouble in
      trouble.begin { $0.isPrompt ? .hang : .proceed }
      await world.oppi("ask", "--queue", "-w", "demo", "lost", exits: 6)
      #expect(await Self.states(world) == ["unknown"])
      trouble.end()
      await world.oppi("outbox", "flush") { $0.output.contains("\tdelivered\t") }
      #expect(await Self.states(world) != ["unknown"])
    }
  }

  @Test(
    "a prompt whose agent starts late is listed with its session, which becomes 'last'",
    arguments: Dialect.both
  )
  func slowStart(dialect: Dialect) {
    inWorld(dialect, where: \.agentStartDelay, is: .seconds(12)) { world, server in
      let late = await world.oppi("ask", "-w", "demo", "--json", "hello", exits: 6)
      #expect(late.errors.contains("the agent did not start in time"), "\(late)")
      #expect(!late.errors.contains("timed out"), "\(late)")
      let id = try #require(late.error["sessionId"].string, "\(late)")
      let list = await world.oppi("history", "--json")
      let asks = list.json["asks"].array ?? []
      #expect(asks.map { $0["state"] } == ["unknown"], "\(list)")
      #expect(asks.map { $0["sessionId"].string } == [id], "\(list)")
      try await world.pass(.seconds(20))
      await world.oppi("show", "last", "--json") { $0.json["sessionId"].string == id }
    }
  }

  @Test("a prompt behind a turn is listed as queued, a prompt for an unreachable server as outbox")
  func words() {
    inWorld { world, server in
      _ = try await world.session(asking: "deploy")
      _ = await world.oppi("ask", "-s", "last", "behind it")
      await server.end(.inOrder)
      let kept = await world.oppi("ask", "-s", "last", "--queue", "--json", "later")
      #expect(kept.json["state"] == "outbox", "\(kept)")
      #expect(await Self.states(world) == ["outbox", "queued", "accepted"])
      // Earlier versions wrote one word for both.
      let path = "\(World.home)/.local/state/oppi/history.jsonl"
      let text = String(decoding: world.disk.contents(of: path) ?? [], as: UTF8.self)
      let earlier = text.replacing("\"outbox\"", with: "\"queued\"")
      #expect(earlier != text)
      world.disk.put(Array(earlier.utf8), at: path)
      #expect(await Self.states(world) == ["outbox", "queued", "accepted"])
    }
  }

  @Test("--again finds the workspace of a prompt that was queued for a session")
  func againAfterOutbox() {
    inWorld { world, server in
      _ = await world.oppi("ask", "-w", "webapp", "hello")
      let id = try await world.session(asking: "hello")
      await server.end(.inOrder)
      await world.oppi("ask", "--queue", "--session=studio/\(id)", "later", exits: 0)
      try server.start()
      await world.oppi("outbox", "flush", exits: 0)
      try await world.pass()
      let again = await world.oppi("ask", "--again", "--json")
      #expect(again.status == 0 && again.json["workspace"]["name"] == "demo", "\(again)")
      #expect(again.json["sessionId"].string != id, "\(again)")
    }
  }

  @Test("a very long prompt is listed with its state, and --again does not send its start")
  func long() {
    inWorld { world, server in
      _ = await world.oppi("workspaces")
      await server.end(.inOrder)
      let prompt = String(repeating: "x", count: AskHistoryFile.sizeLimit + 1)
      await world.oppi("ask", "-w", "demo", prompt, exits: 69)
      #expect(await Self.states(world) == ["not-sent"])
      try server.start()
      let again = await world.oppi("ask", "--again", exits: 65, saying: "only its start was saved")
      #expect(again.errors.contains("oppi ask -F FILE"), "\(again)")
      #expect(server.heard.isEmpty)
    }
  }

  @Test("--again sends a prompt again to its workspace, or to another workspace")
  func again() {
    inWorld { world, server in
      _ = await world.oppi("ask", "-w", "webapp", "first")
      _ = await world.oppi("ask", "-w", "demo", "second")
      await world.oppi("ask", "--again", "--json") { $0.json["workspace"]["name"] == "demo" }
      let first = await world.oppi("ask", "--again", "1", "--json")
      #expect(first.json["workspace"]["name"] == "webapp", "\(first)")
      let other = await world.oppi("ask", "--again", "1", "-w", "demo", "--json")
      #expect(other.json["workspace"]["name"] == "demo", "\(other)")
      #expect(server.heard == ["first", "second", "second", "first", "first"])
      for words in [["0"], ["x"], ["1", "2"], ["-F", "x"]] {
        await world.oppi(["ask", "--again"] + words, exits: 64)
      }
      await world.oppi("ask", "--again", "99", exits: 66, saying: "it has the prompts 1 to 5")
    }
  }

  @Test("with history false nothing is stored, and --clear deletes the history")
  func privacy() {
    inWorld { world, server in
      _ = await world.oppi("ask", "-w", "demo", "secret one")
      _ = await world.oppi("history", "--clear")
      _ = await world.oppi("config", "set", "history", "false")
      _ = await world.oppi("ask", "-w", "demo", "secret two")
      #expect(await world.oppi("history").output.isEmpty)
      for path in world.disk.paths where path.contains("history") {
        let text = String(decoding: world.disk.contents(of: path) ?? [], as: UTF8.self)
        #expect(!text.contains("secret"), "\(path)")
      }
    }
  }

  @Test("nothing is stored with an invalid setting, which may have been meant to forbid it")
  func invalidSetting() {
    inWorld { world, server in
      world.disk.put("{history: 0}", at: World.configFile)
      await world.oppi("ask", "-w", "demo", "secret", exits: 0)
      #expect(await world.oppi("history").output.isEmpty)
      #expect(server.heard == ["secret"])
    }
  }

  @Test("a damaged file of an earlier version is reported, and does not prevent a prompt")
  func bounds() {
    inWorld { world, _ in
      let path = "\(World.home)/.local/state/oppi/history.json"
      world.disk.put(Array(#"{"asks": 5}"#.utf8), at: path)
      await world.oppi("history", exits: 78, saying: "history.json")
      await world.oppi("ask", "--again", exits: 78)
      await world.oppi("ask", "-w", "demo", "hello", exits: 0)
    }
  }
}
