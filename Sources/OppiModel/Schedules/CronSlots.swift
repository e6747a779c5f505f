// SPDX-License-Identifier: MIT

/// Finds the slots for which cron has fired, since cron does not pass them on.
package struct CronSlots {
  /// How many minutes a busy cron may be late.
  private static let delay = 3
  /// How many minutes to look back for missed slots: a week.
  private static let memory = 7 * 1440

  private let expressions: [CronExpression]
  private let clock: (Timestamp) -> CronExpression.Clock?

  /// - Parameters:
  ///   - expressions: Cron fires if any of them matches.
  ///   - clock: Converts a moment to cron's local time; `nil` if that is unknown.
  package init(
    _ expressions: [CronExpression],
    clock: @escaping (Timestamp) -> CronExpression.Clock?
  ) {
    (self.expressions, self.clock) = (expressions, clock)
  }

  /// Returns the slots that are due when cron has fired, oldest first.
  ///
  /// If no slot was missed only the oldest is due; after a gap all are. If no slot matches, cron uses
  /// another clock, and the present minute is the slot.
  package func due(after settled: Timestamp, at now: Timestamp) -> [Timestamp] {
    let minute = Timestamp(seconds: now.seconds / 60 * 60)
    var slots: [Timestamp] = []
    for number in 0..<Self.memory where slots.count < ScheduleRecord.limit {
      let moment = minute.moved(by: .seconds(-60 * number))
      guard moment > settled else { break }
      guard let clock = clock(moment) else { continue }
      let matching = expressions.filter { $0.matches(clock) }
      guard !matching.isEmpty else { continue }
      if let first = first(of: moment, clock), !matching.contains(where: \.goesByEachHour) {
        // Some crons fire once for a repeated hour, others twice.
        if first <= settled, number <= Self.delay { return [] }
        if number > 0 { continue }
      }
      slots.insert(moment, at: 0)
    }
    let earliest = minute.moved(by: .seconds(-60 * Self.delay))
    guard let first = slots.first else { return [minute] }
    return first >= earliest ? [first] : slots
  }

  /// Returns the earlier moment with the same local time; `nil` if the clock was not set back.
  private func first(of moment: Timestamp, _ shown: CronExpression.Clock) -> Timestamp? {
    [3600, 1800].lazy.map { moment.moved(by: .seconds(-$0)) }.first { clock($0) == shown }
  }
}

extension CronExpression {
  /// Whether it matches in both repeated hours, since it does not name an hour.
  fileprivate var goesByEachHour: Bool { hour.isStar || minute.isStar }
}
