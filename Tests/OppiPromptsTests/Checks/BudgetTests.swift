// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `--max-cost`, `budget.day`, `budget.month` and `oppi history --costs`.
@Suite struct BudgetTests {
  private static let ask = ["ask", "--json", "-w", "demo", "--wait"]

  @Test("the cost of an awaited turn is reported and kept in the history", arguments: Dialect.all)
  func cost(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let first = await world.oppi(Self.ask + ["hello"])
      let cost = first.json["cost"].double ?? 0
      #expect(cost > 0.007 && cost < 0.009, "\(first)")
      let words = ["ask", "--json", "-s", "last", "--wait", "hello"]
      let second = await world.oppi(words)
      let next = second.json["cost"].double ?? 0
      #expect(next > 0.007 && next < 0.009, "\(second)")
      let history = await world.oppi("history", "--json")
      #expect(history.json["asks"].array?.compactMap(\.["cost"].double).count == 2, "\(history)")
      let costs = await world.oppi("history", "--costs", "--json")
      let total = costs.json["totalCost"].double ?? 0
      #expect(abs(total - cost - next) < 1e-6, "\(costs)")
    }
  }

  @Test("a turn that exceeds --max-cost is stopped", arguments: Dialect.all)
  func maxCost(dialect: Dialect) {
    inWorld(dialect, where: \.pace, is: .seconds(5)) { world, server in
      let outcome = await world.oppi(Self.ask + ["--max-cost", "0.005", "todo"], exits: 4)
      #expect(outcome.json["state"] == "stopped", "\(outcome)")
      let message = outcome.error["message"].string ?? ""
      #expect(message.hasPrefix("the turn was stopped: it cost $0.0"), "\(outcome)")
      #expect(message.hasSuffix("; the limit is $0.005"), "\(outcome)")
      #expect(outcome.error["reason"] == "budget", "\(outcome)")
      try await world.pass(.seconds(60))
      let idle = await world.oppi("sessions", "--json")
      #expect(idle.json["sessions"].array?.allSatisfy { $0["phase"] != "running" } == true)
      await world.oppi(Self.ask + ["--max-cost", "1", "todo"], exits: 0)
    }
  }

  @Test("a turn whose cost is reported only at its end, and exceeds --max-cost, is status 4")
  func maxCostAtEnd() {
    inWorld { world, server in
      let outcome = await world.oppi(Self.ask + ["--max-cost", "0.007", "hello"], exits: 4)
      #expect(outcome.json["state"] == "finished", "\(outcome)")
      #expect(outcome.json["response"].string?.isEmpty == false, "\(outcome)")
      let message = outcome.error["message"].string ?? ""
      #expect(message.hasPrefix("the turn finished, but it cost $0.0"), "\(outcome)")
      #expect(message.hasSuffix("; the limit is $0.007"), "\(outcome)")
      #expect(outcome.error["reason"] == "budget", "\(outcome)")
      let cost = try #require(outcome.json["cost"].double)
      #expect(cost > 0.007 && cost < 0.009)
    }
  }

  @Test("the cost of a child session is not that of the turn")
  func childCost() {
    inTroubledWorld { world, server, trouble in
      let child: JSONValue = [
        "type": "state", "session": ["id": "child", "status": "busy", "cost": 9],
      ]
      let payload = child.bytes()
      // The server's next messages follow this one.
      let frame = [0x81, UInt8(payload.count)] + payload
      trouble.begin { $0.isPrompt ? .send(frame, then: .proceed) : .proceed }
      let outcome = await world.oppi(Self.ask + ["--max-cost", "1", "hello"], exits: 0)
      let cost = outcome.json["cost"].double ?? 0
      #expect(cost > 0.007 && cost < 0.009, "\(outcome)")
    }
  }

  @Test("the further messages of an order have the rest of --max-cost")
  func furtherMessage() {
    inWorld(where: \.pace, is: .seconds(5)) { world, server in
      world.programs.put("/bin/sh") { _ in ChildProcess.Outcome(output: [], status: 1) }
      let words = ["--verify", "false", "--verify-retries", "1", "hello"]
      await world.oppi(Self.ask + ["--max-cost", "1"] + words, exits: 1)
      #expect(server.heard.count == 2)
      // More than a turn costs, and less than two.
      let outcome = await world.oppi(Self.ask + ["--max-cost", "0.01"] + words)
      #expect(outcome.status == 4 && outcome.json["state"] == "stopped", "\(outcome)")
      #expect(server.heard.count == 4)
    }
  }

  @Test("each turn of an order counts once for --max-cost")
  func thirdTurn() {
    inWorld { world, server in
      world.programs.put("/bin/sh") { _ in ChildProcess.Outcome(status: 1) }
      let words = ["--verify", "false", "--verify-retries", "2", "hello"]
      // More than three turns cost, and less than four.
      let outcome = await world.oppi(Self.ask + ["--max-cost", "0.0275"] + words, exits: 1)
      #expect(server.heard.count == 3 && !outcome.errors.contains("the limit is"), "\(outcome)")
    }
  }

  @Test("no further message is sent if the order's first turn has used up --max-cost")
  func usedUp() {
    inWorld { world, server in
      world.programs.put("/bin/sh") { _ in ChildProcess.Outcome(output: [], status: 1) }
      let words = ["--verify", "false", "--verify-retries", "1", "--max-cost", "0.007", "hello"]
      // The cost of the last answer is reported when the turn has ended.
      let outcome = await world.oppi(Self.ask + words, exits: 1, saying: "--max-cost is used up")
      #expect(outcome.json["cost"].double ?? 0 > 0.007, "\(outcome)")
      #expect(outcome.error["reason"] == "not-verified", "\(outcome)")
      #expect(outcome.errors.contains("the limit is $0.007"), "\(outcome)")
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a prompt is not sent when the budget of the day or the month is used up")
  func budgets() {
    inWorld { world, server in
      for period in ["day", "month"] {
        _ = await world.oppi("config", "set", "budget.\(period)", "0.01")
        await world.oppi(Self.ask + ["hello"], exits: 0)
        let second = await world.oppi(Self.ask + ["two tools"])
        // What is left of the budget limits the turn.
        #expect([0, 4].contains(second.status), "\(second)")
        let made = server.sessionsMade
        let third = await world.oppi("ask", "--json", "-w", "demo", "hello")
        #expect(third.status == 75 && third.error["code"] == "over-budget", "\(third)")
        #expect(third.errors.contains("$0.01 a \(period)"), "\(third)")
        #expect(server.sessionsMade == made)
        await world.oppi("ask", "--json", "-w", "webapp", "hello", exits: 0)
        _ = await world.oppi("config", "unset", "budget.\(period)")
        world.kernel.jumpDay(by: .seconds(40 * 86_400))
      }
    }
  }

  @Test("a prompt over budget is queued with --queue, and sent when the next day has begun")
  func queued() {
    inWorld { world, server in
      _ = await world.oppi("config", "set", "budget.day", "0.001")
      await world.oppi(Self.ask + ["hello"]) { [0, 4].contains($0.status) }
      let heard = server.heard.count
      let kept = await world.oppi("ask", "--json", "--queue", "-w", "demo", "later")
      #expect(kept.status == 0 && kept.json["state"] == "outbox", "\(kept)")
      #expect(kept.json["reason"]["code"] == "over-budget", "\(kept)")
      _ = await world.oppi("outbox", "flush")
      #expect(server.heard.count == heard)
      world.kernel.jumpDay(by: .seconds(86_400))
      await world.oppi("outbox", "flush", exits: 0)
      try await world.pass()
      #expect(server.heard.last == "later")
    }
  }

  @Test("a damaged record of what was spent is an error, and no empty one")
  func damaged() {
    inWorld { world, server in
      _ = await world.oppi("config", "set", "budget.day", "1")
      await world.oppi(Self.ask + ["hello"], exits: 0)
      let path = "\(World.home)/.local/state/oppi/spending.json"
      let json = try JSONValue(parsing: try #require(world.disk.contents(of: path)))
      let names = try #require(json.object).map(\.key).filter { $0 != "version" }
      try #require(names.count == 1)
      let damaged = JSONValue.object(JSONObject(names.map { ($0, JSONValue.integer(7)) })).bytes()
      world.disk.put(damaged, at: path)
      await world.oppi(Self.ask + ["again"], saying: "is damaged") { $0.status != 0 }
      #expect(server.heard == ["hello"])
      #expect(world.disk.contents(of: path) == damaged)
    }
  }

  @Test("a plain ask without a budget makes no further request")
  func plain() {
    inWorld { world, server in
      _ = await world.oppi("ask", "-w", "demo", "hello")
      let before = server.requests.count
      _ = await world.oppi("ask", "-w", "demo", "hello")
      let plain = server.requests.count - before
      _ = await world.oppi("config", "set", "budget.day", "1")
      let later = server.requests.count
      _ = await world.oppi("ask", "-w", "demo", "hello")
      #expect(server.requests.count - later == plain + 1)
    }
  }

  @Test("--max-cost needs a command that waits, and an amount above zero")
  func contradictions() {
    inWorld { world, server in
      let idle = await world.oppi("ask", "-w", "demo", "--max-cost", "1", "hello")
      #expect(idle.errors.contains("--max-cost requires --wait or --follow"), "\(idle)")
      for amount in ["0", "-1", "free", "1.23456"] {
        await world.oppi(Self.ask + ["--max-cost=\(amount)", "hello"], exits: 64)
      }
      #expect(server.heard.isEmpty)
    }
  }

  @Test("costs are summed for the shortcut that sent the prompts")
  func shortcut() {
    inWorld { world, server in
      let add = ["shortcuts", "add", "s", "-w", "demo", "--wait", "--max-cost", "1", "hello"]
      _ = await world.oppi(add)
      for _ in 0..<2 { _ = await world.oppi("run", "s") }
      _ = await world.oppi("ask", "-w", "demo", "hello")
      await world.lose(server)
      await world.oppi("ask", "-w", "demo", "hello", exits: 69)
      let costs = await world.oppi("history", "--costs", "--json")
      let rows = costs.json["costs"].array ?? []
      let row = rows.first { $0["shortcut"] == "s" } ?? .null
      #expect(row["prompts"] == 2 && row["unknown"] == 0, "\(costs)")
      #expect(rows.contains { $0["shortcut"] == .null && $0["unknown"] == 1 }, "\(costs)")
    }
  }
}
