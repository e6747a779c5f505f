// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `--then`, and shortcuts with `then`.
@Suite struct ChainTests {
  private static let ask = ["ask", "--wait", "-w", "demo"]

  private static func add(_ name: String, _ words: String..., in world: World) async {
    await world.oppi(["shortcuts", "add", name, "-w", "webapp"] + words, exits: 0)
  }

  @Test("a shortcut runs after success, with the answer as text", arguments: Dialect.all)
  func answer(dialect: Dialect) {
    inWorld(dialect) { world, server in
      await Self.add("report", "--wait", "about: {{answer}}", in: world)
      let outcome = await world.oppi(Self.ask + ["--then", "report", "hello"], exits: 0)
      #expect(server.heard == ["hello", "about: The command printed: hi"])
      #expect(outcome.lines.count == 2, "\(outcome)")
      let history = await world.oppi("history", "--json")
      let asks = history.json["asks"].array ?? []
      #expect(asks.first?["shortcut"] == "report", "\(history)")
      #expect(asks.first?["after"].string == asks.last?["clientTurnId"].string, "\(history)")
      let terminal = world.start(["history"], columns: 120)
      let shown = try await terminal.end()
      #expect(terminal.lines.contains { $0.contains(", after 1") }, "\(shown) \(terminal.lines)")
    }
  }

  @Test("nothing follows a turn without success", arguments: ["fail", "empty", "usage limit"])
  func failure(prompt: String) {
    inWorld { world, server in
      await Self.add("report", "about: {{answer}}", in: world)
      await world.oppi(Self.ask + ["--then", "report", prompt]) { $0.status != 0 }
      try await world.pass()
      #expect(server.heard == [prompt])
    }
  }

  @Test("a loop, a chain that is too long and a missing shortcut are found before anything is sent")
  func defects() {
    inWorld { world, server in
      await Self.add("a", "--wait", "--then", "b", "x", in: world)
      await Self.add("b", "--wait", "--then", "a", "y", in: world)
      await world.oppi("run", "a", exits: 64, saying: "a → b → a is a loop")
      for number in 1...6 {
        await Self.add("c\(number)", "--wait", "--then", "c\(number + 1)", "x", in: world)
      }
      await Self.add("c7", "x", in: world)
      await world.oppi(Self.ask + ["--then", "c1", "hello"], exits: 64, saying: "more than 5")
      await world.oppi(Self.ask + ["--then", "nobody", "hello"], exits: 66)
      await Self.add("open", "about {{who}}: {{answer}}", in: world)
      let valueless = Self.ask + ["--then", "open", "hello"]
      await world.oppi(valueless, exits: 64, saying: "a value for who")
      #expect(server.heard.isEmpty)
      await world.oppi(Self.ask + ["--then", "c3", "hello"], exits: 0)
      #expect(server.heard.count == 6)
    }
  }

  @Test("a program that is killed between two turns sends no second prompt")
  func killed() {
    inWorld(where: \.pace, is: .seconds(5)) { world, server in
      await Self.add("report", "about: {{answer}}", in: world)
      try await world.kill(Self.ask + ["--then", "report", "hello"], after: .seconds(3))
      try await world.pass(.seconds(120))
      #expect(server.heard == ["hello"])
    }
  }

  @Test("--then needs a command that waits")
  func contradictions() {
    inWorld { world, server in
      let idle = await world.oppi("ask", "-w", "demo", "--then", "x", "hello")
      #expect(idle.status == 64 && idle.errors.contains("--then requires --wait"), "\(idle)")
      let words = ["shortcuts", "add", "s", "-w", "demo", "--then", "x", "hello"]
      await world.oppi(words, saying: "cannot have \"then\"")
    }
  }

  @Test("a queued prompt follows a turn once")
  func queued() {
    inWorld { world, server in
      await Self.add("later", "--queue", "about: {{answer}}", in: world)
      let outcome = await world.oppi(Self.ask + ["--json", "--then", "later", "hello"], exits: 0)
      #expect(outcome.jsonLines.count == 2 && outcome.jsonLines[1]["key"].string != nil)
      try await world.pass()
      #expect(server.heard == ["hello", "about: The command printed: hi"])
      // The key of the queued prompt has the turn before it.
      let again = await world.oppi(Self.ask + ["--json", "--then", "later", "hello"])
      #expect(again.jsonLines.last?["key"] != outcome.jsonLines.last?["key"], "\(again)")
      try await world.pass()
      #expect(server.heard.count == 4, "\(server.heard)")
    }
  }
}
