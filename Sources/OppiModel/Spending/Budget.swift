// SPDX-License-Identifier: MIT

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

  /// A budget that is used up.
  package enum Excess: Sendable, Hashable {
    case day(Dollars)
    case month(Dollars)
  }

  /// Returns the first budget that the ledger has used up; `nil` if a prompt may start.
  package func excess(in ledger: SpendingLedger, on date: LocalDate) -> Excess? {
    if let day, ledger.spent(on: date) >= day { return .day(day) }
    if let month, ledger.spent(inMonthOf: date) >= month { return .month(month) }
    return nil
  }

  /// The most that a turn that starts now may cost; `nil` without a limit.
  package func limit(in ledger: SpendingLedger, on date: LocalDate) -> Dollars? {
    let rests = [
      turn, day.map { $0 - ledger.spent(on: date) },
      month.map { $0 - ledger.spent(inMonthOf: date) },
    ]
    return rests.compactMap(\.self).min()
  }
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
