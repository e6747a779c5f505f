// SPDX-License-Identifier: MIT

/// Finds the slots for which cron has started the program, because cron does not pass them on.
package struct CronSlots {
  /// The largest delay of a busy cron, in minutes.
  private static let delay = 3
  /// How far to look back for missed slots, in minutes: a week.
  private static let memory = 7 * 1440

  private let expressions: [CronExpression]
  private let clock: (Timestamp) -> CronExpression.Clock?

  /// Any of `expressions` may match; `clock` returns cron's local time, `nil` if unknown.
  package init(
    _ expressions: [CronExpression],
    clock: @escaping (Timestamp) -> CronExpression.Clock?
  ) {
    (self.expressions, self.clock) = (expressions, clock)
  }

  /// Returns the slots that are due when cron has started the program, oldest first.
  ///
  /// If no slot was missed, only the oldest is due; after a gap, all are. If no slot matches, cron
  /// uses another local time, and the current minute is the slot.
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
        // Some cron implementations run a repeated hour once, others twice.
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
  /// Whether the expression matches in both repeated hours, because it does not name an hour.
  fileprivate var goesByEachHour: Bool { hour.isStar || minute.isStar }
}
