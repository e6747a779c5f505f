// SPDX-License-Identifier: MIT

/// The slots that cron has fired for, which it does not say.
package struct CronSlots {
  /// By how many minutes a busy cron may be late.
  private static let delay = 3
  /// So many minutes are looked back for what cron should have fired: a week.
  private static let memory = 7 * 1440

  private let expressions: [CronExpression]
  private let clock: (Timestamp) -> CronExpression.Clock?

  /// - Parameters:
  ///   - expressions: When cron fires, by any of them.
  ///   - clock: What cron's clock shows at a moment; `nil` if that is not known.
  package init(
    _ expressions: [CronExpression],
    clock: @escaping (Timestamp) -> CronExpression.Clock?
  ) {
    (self.expressions, self.clock) = (expressions, clock)
  }

  /// Returns what is due at a moment at which cron has fired, oldest first.
  ///
  /// A slot is taken one after the other while none is missing; behind a gap the last one counts. Where
  /// none is to be found cron goes by clocks that are not to be seen here, and the minute is the slot.
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
        // Some crons fire once for an hour that clocks show twice, others once more.
        if first <= settled, number <= Self.delay { return [] }
        if number > 0 { continue }
      }
      slots.insert(moment, at: 0)
    }
    let earliest = minute.moved(by: .seconds(-60 * Self.delay))
    guard let first = slots.first else { return [minute] }
    return first >= earliest ? [first] : slots
  }

  /// The moment at which the clock showed the same before it was set back; `nil` where it was not.
  private func first(of moment: Timestamp, _ shown: CronExpression.Clock) -> Timestamp? {
    [3600, 1800].lazy.map { moment.moved(by: .seconds(-$0)) }.first { clock($0) == shown }
  }
}

extension CronExpression {
  /// Whether it has no hour of its own, and is met in each of two that clocks show alike.
  fileprivate var goesByEachHour: Bool { hour.isStar || minute.isStar }
}
