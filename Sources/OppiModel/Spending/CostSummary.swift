// SPDX-License-Identifier: MIT

/// The costs of prompts, summed by day, place and shortcut.
package struct CostSummary: Sendable, Equatable {
  package struct Prompt: Sendable {
    package let day: LocalDate
    /// `server/workspace` or `server/session`.
    package let place: String
    package let shortcut: String?
    package let session: SessionPlace?
    /// `nil` if its turn was not awaited.
    package let cost: Dollars?

    package init(
      day: LocalDate,
      place: String,
      shortcut: String?,
      session: SessionPlace?,
      cost: Dollars?
    ) {
      (self.day, self.place, self.shortcut) = (day, place, shortcut)
      (self.session, self.cost) = (session, cost)
    }
  }

  package struct Row: Sendable, Equatable {
    package let day: LocalDate
    package let place: String
    package let shortcut: String?
    package fileprivate(set) var promptCount = 0
    /// The number of prompts whose cost is not known.
    package fileprivate(set) var unknownCount = 0
    package fileprivate(set) var cost = Dollars.zero
  }

  /// The latest day first.
  package let rows: [Row]
  package var total: Dollars { rows.map(\.cost).reduce(.zero, +) }
  package var unknownCount: Int { rows.map(\.unknownCount).reduce(0, +) }

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
  package init(_ prompts: [Prompt], totals: [SessionPlace: Dollars]) {
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
