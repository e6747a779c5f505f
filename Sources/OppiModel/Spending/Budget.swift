// SPDX-License-Identifier: MIT

package import OppiText

/// The most that prompts may cost, by the server's figures.
package struct Budget: Sendable, Hashable {
  /// For one turn.
  package var turn: Dollars?
  /// For all sessions of the workspace on one day of local time.
  package var day: Dollars?
  /// For all sessions of the workspace in one month of local time.
  package var month: Dollars?

  package init(turn: Dollars? = nil, day: Dollars? = nil, month: Dollars? = nil) {
    (self.turn, self.day, self.month) = (turn, day, month)
  }

  /// Whether it depends on what was spent before.
  package var isOfPeriods: Bool { day != nil || month != nil }

  /// The budgets of periods with what the ledger has for them; without a ledger that is unknown.
  package func uses(in ledger: SpendingLedger?, on date: LocalDate) -> [BudgetUse] {
    let uses = [
      day.map { BudgetUse(limit: $0, period: "day", spent: ledger?.spent(on: date)) },
      month.map { BudgetUse(limit: $0, period: "month", spent: ledger?.spent(inMonthOf: date)) },
    ]
    return uses.compactMap(\.self)
  }

  /// Returns the first budget that the ledger has used up; `nil` if a prompt may start.
  package func excess(in ledger: SpendingLedger, on date: LocalDate) -> BudgetUse? {
    uses(in: ledger, on: date).first(where: \.isUsedUp)
  }

  /// The most that a turn that starts now may cost; `nil` without a limit.
  package func limit(in ledger: SpendingLedger, on date: LocalDate) -> Dollars? {
    ([turn] + uses(in: ledger, on: date).map(\.rest)).compactMap(\.self).min()
  }
}

/// The budget of a period, and how much of it is used.
package struct BudgetUse: Sendable, Equatable {
  package let limit: Dollars
  /// `day` or `month`.
  package let period: String
  /// `nil` if it is not known.
  package let spent: Dollars?

  package var isUsedUp: Bool { spent.map { $0 >= limit } ?? false }

  /// What is left; `nil` if it is not known.
  var rest: Dollars? { spent.map { limit - $0 } }

  /// `$5.00 a day`.
  package var limitText: String { "\(limit.text) a \(period)" }
}

/// A date of local time.
package struct LocalDate: Sendable, Hashable, Comparable {
  /// `2026-11-26`.
  package let text: String

  /// Accepts only the form of ``text``.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) })
    else { return nil }
    self.text = text
  }

  package static let distant = LocalDate(known: "9999-12-31")

  private init(known text: String) { self.text = text }

  /// `2026-11`.
  package var month: Substring { text.prefix(7) }

  package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// An amount in US dollars, exact to a millionth, from 0 to a billion.
package struct Dollars: Sendable, Hashable, Comparable {
  private static let limit = 1_000_000_000

  package static let zero = Dollars(micros: 0)

  /// In millionths of a dollar.
  package let micros: Int

  private init(micros: Int) { self.micros = min(max(micros, 0), Self.limit * 1_000_000) }

  /// An amount that a server reports; `nil` for a number that is not one.
  package init?(_ number: Double) {
    guard number.isFinite, (0...Double(Self.limit)).contains(number) else { return nil }
    self.init(micros: Int((number * 1e6).rounded()))
  }

  /// Reads digits with at most four decimals, such as `2.50`; `nil` for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...9).contains(parts[0].utf8.count),
      parts.count == 1 || (1...4).contains(parts[1].utf8.count),
      parts.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }), let whole = Int(parts[0])
    else { return nil }
    let decimals = parts.count == 2 ? parts[1] + String(repeating: "0", count: 6) : "000000"
    self.init(micros: whole * 1_000_000 + (Int(decimals.prefix(6)) ?? 0))
  }

  package var number: Double { Double(micros) / 1e6 }

  /// Dollars and cents, rounded up, so that no cost seems to be free: `$2.50`.
  package var text: String {
    let cents = (micros + 9_999) / 10_000
    return "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
  }

  /// The amount with all its decimals, at least two: `$0.0053`.
  package var exactText: String {
    var decimals = String(String(micros % 1_000_000 + 1_000_000).dropFirst())
    while decimals.count > 2, decimals.hasSuffix("0") { decimals.removeLast() }
    return "$\(micros / 1_000_000).\(decimals)"
  }

  /// The part of a whole, from 0 to 1; 0 of nothing.
  package func share(of whole: Dollars) -> Double {
    whole == .zero ? 0 : min(1, Double(micros) / Double(whole.micros))
  }

  package static func < (left: Self, right: Self) -> Bool { left.micros < right.micros }

  package static func + (left: Self, right: Self) -> Self {
    Dollars(micros: left.micros + right.micros)
  }

  /// The difference, or zero if it would be negative.
  package static func - (left: Self, right: Self) -> Self {
    Dollars(micros: left.micros - right.micros)
  }
}

extension JSONField<Dollars> {
  /// A number of dollars.
  package static var dollars: JSONField {
    JSONField(encode: { .double($0.number) }, decode: { $0.double.flatMap { Dollars($0) } })
  }
}

/// The cost of one turn, from the total costs of its session that the server reports.
package struct TurnCost: Sendable, Equatable {
  /// The total before the turn; `nil` until it is known.
  private var base: Dollars?
  private var total: Dollars?

  /// A new session has cost nothing before its first turn.
  package init(isNewSession: Bool) {
    if isNewSession { (base, total) = (.zero, .zero) }
  }

  /// Records that the turn has not begun: what the session has cost so far is not the turn's.
  package mutating func begin() { base = total }

  /// Records a total of the session; totals never fall.
  package mutating func take(_ cost: Double?) {
    guard let cost = cost.flatMap({ Dollars($0) }) else { return }
    total = max(total ?? cost, cost)
    base = base ?? cost
  }

  /// The cost so far; `nil` if the server has reported none.
  package var spent: Dollars? {
    guard let base, let total else { return nil }
    return total - base
  }
}
