// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import Testing

@Suite struct SpendingTests {
  private static func day(_ text: String) -> LocalDate { LocalDate(text) ?? .distant }
  private static func dollars(_ text: String) -> Dollars { Dollars(text) ?? .zero }

  private static func session(
    _ id: String,
    _ cost: String,
    created: String = "2026-11-25",
    active: String = "2026-11-26"
  ) -> SpendingLedger.SessionCost {
    (sessionID: id, cost: dollars(cost), created: day(created), active: day(active))
  }

  private static let today = day("2026-11-26")

  // MARK: - Amounts

  @Test(
    "an amount has at most nine digits and four decimals",
    arguments: [("2.50", 2_500_000), ("0", 0), ("10", 10_000_000), ("0.0001", 100)]
  )
  func amounts(text: String, micros: Int) { #expect(Dollars(text)?.micros == micros) }

  @Test(
    "anything else is not an amount",
    arguments: ["", ".", "-1", "1.", ".5", "1.23456", "1e3", "1,5", "1234567890", "٣", "1.2.3"]
  )
  func noAmounts(text: String) { #expect(Dollars(text) == nil) }

  @Test("numbers of a server that are no costs are ignored")
  func numbers() {
    for number in [-0.1, .infinity, .nan, 2e9] { #expect(Dollars(number) == nil) }
    #expect(Dollars(0.0078)?.micros == 7800)
  }

  @Test(
    "cents are rounded up",
    arguments: [("0", "$0.00"), ("0.0001", "$0.01"), ("2.501", "$2.51")]
  )
  func text(amount: String, text: String) { #expect(Dollars(amount)?.text == text) }

  @Test(
    "all decimals are shown, at least two",
    arguments: [("0.0053", "$0.0053"), ("2.5", "$2.50"), ("10", "$10.00"), ("0.01", "$0.01")]
  )
  func exactText(amount: String, text: String) { #expect(Dollars(amount)?.exactText == text) }

  // MARK: - A turn

  @Test("the cost of a turn is what the session's total has grown")
  func turn() {
    var cost = TurnCost(isNewSession: false)
    #expect(cost.spent == nil)
    cost.take(1)
    #expect(cost.spent == .zero)
    // The turn before it goes on.
    cost.take(1.5)
    cost.begin()
    cost.take(1.75)
    #expect(cost.spent?.number == 0.25)
    // A total that falls, or that is none, changes nothing.
    cost.take(0.5)
    cost.take(nil)
    cost.take(.nan)
    #expect(cost.spent?.number == 0.25)
  }

  @Test("a turn that costs nothing has a known cost, and what comes after it counts")
  func free() {
    var cost = TurnCost(isNewSession: false)
    cost.take(0)
    #expect(cost.spent == .zero)
    cost.take(0.25)
    #expect(cost.spent?.number == 0.25)
    // A new session's first total counts in full.
    for total in [0, 0.5] {
      var first = TurnCost(isNewSession: true)
      first.take(total)
      #expect(first.spent?.number == total)
    }
  }

  // MARK: - Days

  @Test("an increase counts for the day of the last activity")
  func increases() {
    var ledger = SpendingLedger()
    ledger.take([Self.session("a", "1", active: "2026-11-25")], on: Self.today)
    #expect(ledger.spent(on: Self.today) == .zero)
    #expect(ledger.spent(on: Self.day("2026-11-25")) == Self.dollars("1"))
    ledger.take([Self.session("a", "3"), Self.session("b", "0.5")], on: Self.today)
    #expect(ledger.spent(on: Self.today) == Self.dollars("2.5"))
    #expect(ledger.spent(inMonthOf: Self.today) == Self.dollars("3.5"))
    ledger.take([Self.session("a", "3"), Self.session("b", "0.4")], on: Self.today)
    #expect(ledger.spent(on: Self.today) == Self.dollars("2.5"))
  }

  @Test("costs of sessions of an earlier month are not counted at the beginning, only later")
  func beginning() {
    var ledger = SpendingLedger()
    ledger.take([Self.session("old", "9", created: "2026-10-31")], on: Self.today)
    #expect(ledger.spent(on: Self.today) == .zero)
    ledger.take([Self.session("old", "10", created: "2026-10-31")], on: Self.today)
    #expect(ledger.spent(on: Self.today) == Self.dollars("1"))
    ledger.take([Self.session("other", "2", created: "2026-10-31")], on: Self.today)
    #expect(ledger.spent(on: Self.today) == Self.dollars("3"))
  }

  @Test("a total that falls and rises again counts only beyond its highest")
  func fallen() {
    var ledger = SpendingLedger()
    for cost in ["3", "1", "3.5"] { ledger.take([Self.session("a", cost)], on: Self.today) }
    #expect(ledger.spent(on: Self.today) == Self.dollars("3.5"))
  }

  @Test("a server's clock that is ahead counts for today")
  func ahead() {
    var ledger = SpendingLedger()
    ledger.take([Self.session("a", "1", active: "2026-11-27")], on: Self.today)
    #expect(ledger.spent(on: Self.today) == Self.dollars("1"))
  }

  @Test("the same month of another year is another month")
  func years() {
    let (date, text) = (Self.day("2025-11-25"), "2025-11-25")
    var ledger = SpendingLedger()
    ledger.take([Self.session("a", "1", created: text, active: text)], on: date)
    #expect(ledger.spent(inMonthOf: date) == Self.dollars("1"))
    #expect(ledger.spent(inMonthOf: Self.today) == .zero)
  }

  @Test("a ledger is read as it was written, and a damaged one is refused")
  func file() {
    var ledger = SpendingLedger()
    ledger.take([Self.session("a", "1.2345"), Self.session("b", "0")], on: Self.today)
    #expect(SpendingLedger(json: ledger.json) == ledger)
    for json in [
      .null, ["days": [:]], ["days": ["2026": 1], "sessions": [:]],
      ["days": [:], "sessions": ["a": ["cost": -1, "active": "2026-11-26"]]],
    ] as [JSONValue] {
      #expect(SpendingLedger(json: json) == nil)
    }
  }

  @Test("two months and two thousand sessions are kept")
  func bounds() {
    var ledger = SpendingLedger()
    for month in 1...3 {
      for day in 1...28 {
        let text = "2026-0\(month)-\(day < 10 ? "0" : "")\(day)"
        let session = Self.session(text, "1", created: text, active: text)
        ledger.take([session], on: Self.day(text))
      }
    }
    #expect(ledger.spent(on: Self.day("2026-01-22")) == .zero)
    #expect(ledger.spent(on: Self.day("2026-01-23")) == Self.dollars("1"))
  }

  @Test("a session beyond the kept ones is not counted again")
  func dropped() {
    var ledger = SpendingLedger()
    func day(_ number: Int) -> String { "2026-11-\(number < 10 ? "0" : "")\(number)" }
    let sessions = (0..<2001).map { index in
      Self.session("s\(index)", "1", created: day(1), active: day(1 + index / 100))
    }
    for _ in 0..<3 { ledger.take(sessions, on: Self.today) }
    #expect(ledger.spent(inMonthOf: Self.today) == Self.dollars("2001"))
    // Nor by another process, which reads the ledger.
    var read = SpendingLedger(json: ledger.json)
    read?.take(sessions, on: Self.today)
    #expect(read?.spent(inMonthOf: Self.today) == Self.dollars("2001"))
  }

  // MARK: - Budgets

  @Test(
    "a budget is used up when it is reached",
    arguments: [("2", nil, true), ("2.0001", nil, false), (nil, "3", true), (nil, "3.0001", false)]
      as [(String?, String?, Bool)]
  )
  func excess(day: String?, month: String?, isUsedUp: Bool) {
    var ledger = SpendingLedger()
    ledger.take([Self.session("a", "1", active: "2026-11-25")], on: Self.today)
    ledger.take([Self.session("a", "3")], on: Self.today)
    let budget = Budget(day: day.map(Self.dollars), month: month.map(Self.dollars))
    #expect((budget.excess(in: ledger, on: Self.today) != nil) == isUsedUp)
  }

  @Test("of two budgets that are used up, that of the day is named")
  func excessOfBoth() {
    var ledger = SpendingLedger()
    ledger.take([Self.session("a", "3")], on: Self.today)
    let excess = Budget(day: Self.dollars("2"), month: Self.dollars("3"))
      .excess(in: ledger, on: Self.today)
    #expect(excess?.limit == Self.dollars("2") && excess?.period == "day")
  }

  @Test("the smallest rest limits a turn")
  func limit() {
    var ledger = SpendingLedger()
    ledger.take([Self.session("a", "1", active: "2026-11-26")], on: Self.today)
    func limit(_ turn: String?, _ day: String?, _ month: String?) -> Dollars? {
      Budget(
        turn: turn.map(Self.dollars),
        day: day.map(Self.dollars),
        month: month.map(Self.dollars)
      ).limit(in: ledger, on: Self.today)
    }
    #expect(limit(nil, nil, nil) == nil)
    #expect(limit("5", "3", "4") == Self.dollars("2"))
    #expect(limit("1", "3", "4") == Self.dollars("1"))
    #expect(limit(nil, "9", "4") == Self.dollars("3"))
    ledger.take([Self.session("b", "2", active: "2026-11-25")], on: Self.today)
    #expect(limit(nil, "9", "4") == Self.dollars("1"))
    #expect(limit(nil, "2", "9") == Self.dollars("1"))
  }

  // MARK: - History

  @Test("costs are summed by day, place and shortcut; a session's rest is its first prompt's")
  func summary() {
    let server = Fingerprint(digest: [UInt8](repeating: 1, count: 32))
    func session(_ id: String) -> SessionID { SessionID(serverID: server, sessionID: id) }
    func prompt(
      _ day: String,
      _ shortcut: String?,
      _ id: String?,
      _ cost: String?
    ) -> CostSummary.Prompt {
      (
        day: Self.day(day),
        place: "studio/api",
        shortcut: shortcut,
        session: id.map(session),
        cost: cost.map(Self.dollars)
      )
    }
    let summary = CostSummary(
      [
        prompt("2026-11-25", nil, "a", nil), prompt("2026-11-26", nil, "a", "1"),
        prompt("2026-11-26", nil, "a", nil), prompt("2026-11-26", "s", "b", "0.5"),
        prompt("2026-11-26", "s", nil, nil),
      ],
      totals: [session("a"): Self.dollars("4"), session("c"): Self.dollars("9")]
    )
    #expect(summary.rows.map(\.cost.text) == ["$1.00", "$0.50", "$3.00"])
    #expect(summary.rows.map(\.promptCount) == [2, 2, 1])
    #expect(summary.rows.map(\.unknownCount) == [1, 1, 0])
    #expect(summary.total == Self.dollars("4.5"))
  }

  @Test("the rows of a day are in the order of their places, then of their shortcuts")
  func order() {
    func prompt(_ place: String, _ shortcut: String?) -> CostSummary.Prompt {
      (day: Self.today, place: place, shortcut: shortcut, session: nil, cost: nil)
    }
    let prompts = [prompt("b/x", nil), prompt("a/x", "t"), prompt("a/x", nil), prompt("a/x", "s")]
    let rows = CostSummary(prompts, totals: [:]).rows
    #expect(rows.map(\.place) == ["a/x", "a/x", "a/x", "b/x"])
    #expect(rows.map(\.shortcut) == [nil, "s", "t", nil])
  }

  @Test("the sums of days and places have their rows, and a sum without a known cost is unknown")
  func parts() {
    func prompt(_ day: String, _ place: String, _ cost: String?) -> CostSummary.Prompt {
      (
        day: Self.day(day), place: place, shortcut: nil, session: nil, cost: cost.map(Self.dollars)
      )
    }
    let summary = CostSummary(
      [
        prompt("2026-11-25", "a/x", "1"), prompt("2026-11-26", "b/x", "2"),
        prompt("2026-11-26", "a/x", nil), prompt("2026-11-24", "c/x", nil),
      ],
      totals: [:]
    )
    #expect(summary.days.map(\.day.text) == ["2026-11-26", "2026-11-25", "2026-11-24"])
    #expect(summary.days.map(\.costs.promptCount) == [2, 1, 1])
    #expect(summary.days.map(\.costs.isUnknown) == [false, false, true])
    #expect(summary.places.map(\.place) == ["b/x", "a/x", "c/x"])
    #expect(summary.places.map(\.costs.total.text) == ["$2.00", "$1.00", "$0.00"])
    #expect(summary.rows.map(\.costText) == ["unknown", "$2.00", "$1.00", "unknown"])
  }

  @Test(
    "an amount is a part of another, from 0 to 1",
    arguments: [("0", "2", 0), ("1", "2", 0.5), ("2", "2", 1), ("3", "2", 1), ("1", "0", 0)]
  )
  func share(part: String, whole: String, expected: Double) {
    #expect(Self.dollars(part).share(of: Self.dollars(whole)) == expected)
  }

  @Test("the use of a budget is unknown without a ledger")
  func unknownUse() {
    let budget = Budget(day: Self.dollars("1"), month: Self.dollars("2"))
    let uses = budget.uses(in: nil, on: Self.today)
    #expect(uses.map(\.limitText) == ["$1.00 a day", "$2.00 a month"])
    #expect(uses.allSatisfy { $0.spent == nil && !$0.isUsedUp })
  }

  @Test("a cost of zero is known, and the cost of a session is not that of one with the same id")
  func freeAndTwins() {
    func place(_ server: UInt8) -> SessionID {
      let id = Fingerprint(digest: [UInt8](repeating: server, count: 32))
      return SessionID(serverID: id, sessionID: "a")
    }
    func prompt(on server: UInt8, _ cost: Dollars? = nil) -> CostSummary.Prompt {
      (
        day: Self.today,
        place: "studio/api",
        shortcut: nil,
        session: place(server),
        cost: cost
      )
    }
    #expect(CostSummary([prompt(on: 1, Dollars.zero)], totals: [:]).unknownCount == 0)
    let free = CostSummary([prompt(on: 1)], totals: [place(1): Dollars.zero])
    #expect(free.unknownCount == 0)
    let totals = [place(2): Self.dollars("4")]
    #expect(CostSummary([prompt(on: 1)], totals: totals).unknownCount == 1)
    let twins = CostSummary([prompt(on: 1), prompt(on: 2)], totals: totals)
    #expect(twins.unknownCount == 1 && twins.total == Self.dollars("4"))
  }
}
