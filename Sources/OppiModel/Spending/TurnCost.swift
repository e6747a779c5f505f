// SPDX-License-Identifier: MIT

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
