// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// What the sessions of one workspace have cost by day.
///
/// Servers report only the total of each session. The ledger remembers the totals, and counts an
/// increase for the day of the session's last activity.
package struct SpendingLedger: Sendable, Equatable {
  /// A session as the server lists it, with the days of its creation and of its last activity.
  package typealias SessionCost = (
    sessionID: String, cost: Dollars, created: LocalDate, active: LocalDate
  )

  /// The number of days that are kept: two months.
  private static let dayLimit = 62
  /// The number of sessions whose totals are kept; those with the earliest activity are dropped.
  private static let sessionLimit = 2000

  private struct Total: Sendable, Equatable {
    var cost: Dollars
    var active: LocalDate

    static let shape = RecordShape(
      Total(cost: .zero, active: .distant),
      [
        .required("cost", { $1(&$0.cost) }, .dollars),
        .required("active", { $1(&$0.active) }, .day),
      ]
    )
  }

  private var totals: [String: Total] = [:]
  private var days: [LocalDate: Dollars] = [:]
  /// When the ledger was begun; `nil` if it is empty.
  private var begun: LocalDate?
  /// The latest activity of a session whose total was dropped; `nil` if none was.
  private var dropped: LocalDate?

  package init() {}

  /// Records the present totals.
  ///
  /// Of a session that is older than the ledger and not of this month, the earlier cost is not
  /// counted, because its days are not known.
  package mutating func take(_ sessions: [SessionCost], on today: LocalDate) {
    let isFirst = begun == nil
    begun = begun ?? today
    for session in sessions {
      let known = totals[session.sessionID]
      let isOld = isFirst && session.created.month != today.month
      let isDropped = dropped.map { session.active <= $0 } ?? false
      let isEarlier = known == nil && (isOld || isDropped)
      let increase = session.cost - (known?.cost ?? (isEarlier ? session.cost : .zero))
      // A server's clock may be ahead.
      let day = min(session.active, today)
      if increase > .zero { days[day] = (days[day] ?? .zero) + increase }
      let cost = max(session.cost, known?.cost ?? .zero)
      totals[session.sessionID] = Total(cost: cost, active: day)
    }
    trim()
  }

  private mutating func trim() {
    if days.count > Self.dayLimit {
      for day in days.keys.sorted().dropLast(Self.dayLimit) { days[day] = nil }
    }
    if totals.count > Self.sessionLimit {
      let order = totals.sorted { ($0.value.active, $0.key) < ($1.value.active, $1.key) }
      for (id, total) in order.dropLast(Self.sessionLimit) {
        totals[id] = nil
        dropped = max(dropped ?? total.active, total.active)
      }
    }
  }

  package func spent(on day: LocalDate) -> Dollars { days[day] ?? .zero }

  package func spent(inMonthOf day: LocalDate) -> Dollars {
    days.filter { $0.key.month == day.month }.values.reduce(.zero, +)
  }
}

// MARK: - Its file

/// A record that cannot be read entirely is rejected, because a budget must not start anew.
extension SpendingLedger: ShapedRecord {
  package static let shape = RecordShape(
    SpendingLedger(),
    [
      .defaulted("begun", { $1(&$0.begun) }, .dayOrNull),
      .defaulted("dropped", { $1(&$0.dropped) }, .dayOrNull),
      .required("days", { $1(&$0.days) }, .dictionary(by: .day, of: .dollars, isWhole: true)),
      .required(
        "sessions",
        { $1(&$0.totals) },
        .dictionary(by: .text, of: .object(Total.shape), isWhole: true)
      ),
    ]
  )
}

extension JSONField<LocalDate> {
  fileprivate static var day: JSONField { spelled(\.text) { LocalDate($0) } }
}

extension JSONField<LocalDate?> {
  fileprivate static var dayOrNull: JSONField {
    JSONField {
      $0.map { .string($0.text) } ?? .null
    } decode: {
      JSONField<LocalDate>.day.decode($0).map(Optional.some)
    }
  }
}

/// The costs of prompts, summed by day, place and shortcut.
package struct CostSummary: Sendable, Equatable {
  /// A prompt to the place `server/workspace` or `server/session`; its cost is `nil` if its turn was
  /// not awaited.
  package typealias Prompt = (
    day: LocalDate, place: String, shortcut: String?, session: SessionID?, cost: Dollars?
  )

  package struct Row: Sendable, Equatable {
    package let day: LocalDate
    package let place: String
    package let shortcut: String?
    package fileprivate(set) var promptCount = 0
    /// The number of prompts whose cost is not known.
    package fileprivate(set) var unknownCount = 0
    package fileprivate(set) var cost = Dollars.zero

    /// The known cost, or that none is known.
    package var costText: String { unknownCount == promptCount ? "unknown" : cost.text }
  }

  /// The latest day first.
  package let rows: [Row]
  package var total: Dollars { rows.map(\.cost).reduce(.zero, +) }
  package var promptCount: Int { rows.map(\.promptCount).reduce(0, +) }
  package var unknownCount: Int { rows.map(\.unknownCount).reduce(0, +) }
  /// Whether no cost is known.
  package var isUnknown: Bool { unknownCount == promptCount }

  private init(rows: [Row]) { self.rows = rows }

  /// The sums of each day, the latest first.
  package var days: [(day: LocalDate, costs: CostSummary)] {
    Dictionary(grouping: rows, by: \.day).map { ($0, CostSummary(rows: $1)) }
      .sorted { $0.day > $1.day }
  }

  /// The sums of each place, the most expensive first.
  package var places: [(place: String, costs: CostSummary)] {
    Dictionary(grouping: rows, by: \.place).map { ($0, CostSummary(rows: $1)) }
      .sorted { ($1.costs.total, $0.place) < ($0.costs.total, $1.place) }
  }

  private struct Key: Hashable {
    let day: LocalDate
    let place: String
    let shortcut: String?
  }

  /// Sums the costs.
  ///
  /// - Parameters:
  ///   - prompts: The prompts, oldest first.
  ///   - totals: The known total costs of sessions. What the prompts with a known cost do not
  ///     account for is that of the session's first prompt without one.
  package init(_ prompts: [Prompt], totals: [SessionID: Dollars]) {
    var rest = totals
    for prompt in prompts {
      guard let id = prompt.session, let cost = prompt.cost else { continue }
      rest[id] = rest[id].map { $0 - cost }
    }
    var rows: [Key: Row] = [:]
    for prompt in prompts {
      let key = Key(day: prompt.day, place: prompt.place, shortcut: prompt.shortcut)
      var row =
        rows[key] ?? Row(day: prompt.day, place: prompt.place, shortcut: prompt.shortcut)
      let cost = prompt.cost ?? prompt.session.flatMap { rest.removeValue(forKey: $0) }
      row.promptCount += 1
      row.unknownCount += cost == nil ? 1 : 0
      row.cost = row.cost + (cost ?? .zero)
      rows[key] = row
    }
    self.rows = rows.values.sorted {
      ($1.day, $0.place, $0.shortcut ?? "") < ($0.day, $1.place, $1.shortcut ?? "")
    }
  }
}
