// SPDX-License-Identifier: MIT

import FakeServer
import OppiTerminal
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

/// The tab of costs: what was spent by day and by workspace, and how much of budgets is used.
@Suite struct ConsoleCostsTests {
  private static func prompt(
    _ day: String,
    _ place: String,
    _ cost: String?
  ) throws -> CostSummary.Prompt {
    let day = try #require(LocalDate(day))
    return (day: day, place: place, shortcut: nil, session: nil, cost: cost.flatMap { Dollars($0) })
  }

  static func summary() throws -> CostSummary {
    CostSummary(
      [
        try prompt("2026-11-24", "studio/docs", nil), try prompt("2026-11-25", "studio/api", "8"),
        try prompt("2026-11-25", "attic/infra", "12"),
        try prompt("2026-11-26", "studio/api", "2.5"), try prompt("2026-11-26", "studio/api", nil),
      ],
      totals: [:]
    )
  }

  private static func desk(columns: Int = 100, rows: Int = 30) throws -> ConsoleDesk {
    var desk = ConsoleDesk(columns: columns, rows: rows)
    #expect(desk.press("6") == [.costs(.read)])
    _ = desk.update(.news(.costs(.summed(try summary(), problem: nil))))
    return desk
  }

  /// The rows between the headings, with single spaces.
  private static func rows(of desk: ConsoleDesk) -> [String] {
    desk.lines.map { $0.split(separator: " ").joined(separator: " ") }
      .filter { $0.contains("prompt") && !$0.contains("in total") }
  }

  @Test("days are listed newest first and workspaces by cost, with bars relative to the largest")
  func sums() throws {
    let desk = try Self.desk()
    #expect(desk.shows("$22.50 in total; the cost of 2 prompts is not known"), "\(desk.lines)")
    #expect(
      Self.rows(of: desk) == [
        "▸ 2026-11-26 $2.50 ▰▱▱▱▱▱▱▱▱▱ 2 prompts; the cost of 1 prompt is not known",
        "2026-11-25 $20.00 ▰▰▰▰▰▰▰▰▰▰ 2 prompts", "2026-11-24 unknown 1 prompt",
        "attic/infra $12.00 ▰▰▰▰▰▰▰▰▰▰ 1 prompt",
        "studio/api $10.50 ▰▰▰▰▰▰▰▰▰▱ 3 prompts; the cost of 1 prompt is not known",
        "studio/docs unknown 1 prompt",
      ]
    )
  }

  @Test("the amounts end in the same column", arguments: [40, 80, 160])
  func alignment(columns: Int) throws {
    let desk = try Self.desk(columns: columns)
    let ends = ["$2.50", "$20.00", "$12.00", "$10.50", " unknown"].map { amount in
      let line = desk.lines.first { $0.contains(amount) && !$0.contains("total") } ?? ""
      return line.firstRange(of: amount).map { line[..<$0.upperBound].count }
    }
    #expect(Set(ends).count == 1 && ends[0] != nil, "\(desk.lines)")
  }

  @Test(
    "the detail of a day or a workspace has its parts, in the other columns of 'oppi history --costs'"
  )
  func details() throws {
    var desk = try Self.desk(columns: 160)
    desk.press(.down)
    #expect(!desk.shows("DAY") && desk.shows("WORKSPACE") && desk.shows("COST"), "\(desk.lines)")
    let details = desk.lines.map { String($0.dropFirst(90)) }
    #expect(details.contains { $0.contains("attic/infra") && $0.hasSuffix("$12.00") }, "\(details)")
    #expect(details.contains { $0.contains("studio/api") && $0.hasSuffix("$8.00") }, "\(details)")
    #expect(!details.contains { $0.contains("2026-11-26") }, "\(details)")
    desk.press(.end)
    #expect(desk.shows("DAY") && !desk.shows("WORKSPACE"), "\(desk.lines)")
  }

  @Test("a list without prompts says so, and costs that cannot be read are not shown as none")
  func empty() {
    var desk = ConsoleDesk()
    desk.press("6")
    #expect(desk.shows(ConsoleEmpty.loading) && !desk.shows("No prompts"), "\(desk.lines)")
    _ = desk.update(.news(.costs(.summed(nil, problem: "history.jsonl is damaged"))))
    #expect(desk.shows("✗ history.jsonl is damaged"), "\(desk.lines)")
    _ = desk.update(.news(.costs(.summed(CostSummary([], totals: [:]), problem: nil))))
    #expect(desk.shows("No prompts in the history."), "\(desk.lines)")
  }

  @Test("a usage limit is listed until its reset, with what its provider says")
  func usageLimit() {
    var desk = ConsoleDesk(columns: 100)
    desk.press("6")
    var session = ConsoleDesk.session("s1", .failed)
    session.model = "claude-opus"
    let reset = ConsoleDesk.begin.moved(by: .seconds(600))
    session.turn = TurnSummary(failure: "usage limit reached", end: .limited)
    session.turn?.resetAt = reset
    desk.answer(sessions: [session])
    #expect(desk.shows("claude-opus") && desk.shows("usage limit reached; resets"), "\(desk.lines)")
    desk.wait(.seconds(601))
    desk.answer(sessions: [session])
    #expect(!desk.shows("claude-opus"), "\(desk.lines)")
  }

  // MARK: - Budgets

  @Test("a budget shows how much is used, and that it is used up, by the server's present figures")
  func budgets() {
    inWorld { world, server in
      await world.oppi("ask", "-w", "demo", "--wait", "hello", exits: 0)
      await world.oppi("config", "set", "budget.day", "0.02", exits: 0)
      await world.oppi("config", "set", "-w", "demo", "budget.month", "0.001", exits: 0)
      let terminal = world.start(["console"], columns: 120, rows: 40)
      try await terminal.see("[1 Now")
      try await terminal.type("2", see: "No pending approvals.")
      try await terminal.type("6", see: "Budgets")
      try await terminal.see("% of $0.02 a day")
      try await terminal.see("! used up: $0.01 a month")
      let file = "\(World.home)/.local/state/oppi/spending.json"
      #expect(world.disk.contents(of: file) == nil, "showing costs records none")
      terminal.type("q")
      try await terminal.end(exits: 0)
    }
  }

  @Test("while a server cannot be queried, the use of its budgets is unknown, not 0")
  func unreachable() {
    inWorld { world, server in
      await world.oppi("ask", "-w", "demo", "hello", exits: 0)
      await world.oppi("config", "set", "budget.day", "5", exits: 0)
      await world.lose(server)
      let terminal = world.start(["console"], columns: 120, rows: 40)
      try await terminal.see("[1 Now")
      try await terminal.see("unreachable")
      try await terminal.type("6", see: "unknown")
      try await terminal.see("of $5.00 a day")
      #expect(!terminal.lines.contains { $0.contains("$0.00") }, "\(terminal.lines)")
      terminal.type("q")
      try await terminal.end(exits: 0)
    }
  }
}
