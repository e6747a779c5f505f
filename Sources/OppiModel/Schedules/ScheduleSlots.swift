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
    [3600, 1800].lazy.map { moment.moved(by: .seconds(-$0)) }
      .first { earlier in clock(earlier).map { $0 == shown } ?? false }
  }
}

extension CronExpression {
  /// Whether the expression matches in both repeated hours, because it does not name an hour.
  fileprivate var goesByEachHour: Bool { hour.isStar || minute.isStar }
}

/// The times at which calendar expressions elapse, from the output of `systemd-analyze calendar`.
package struct CalendarElapses: Sendable {
  /// A moment and its local time, such as `Mon 2026-03-30 02:30:00 CEST`.
  package typealias Elapse = (moment: Timestamp, zoneText: String)

  /// One list per expression, in order.
  private let lists: [[Elapse]]

  /// Parses the program's output under `LC_ALL=C`, with the zone in `TZ`.
  ///
  /// Unknown lines are skipped: later versions print more.
  package init(output: String) {
    var lists: [[Elapse]] = []
    for line in output.split(separator: "\n") {
      guard let colon = line.firstRange(of: ": ") else { continue }
      let label = line[..<colon.lowerBound].drop { $0 == " " }
      let text = line[colon.upperBound...]
      if label == "Normalized form" {
        lists.append([])
      } else if label == "Next elapse" || label.hasPrefix("Iter. #") {
        guard !lists.isEmpty, let moment = Self.moment(text) else { continue }
        lists[lists.count - 1].append((moment, String(text).safeLine(limit: 60)))
      } else if label == "(in UTC)", let last = lists.last?.last, let moment = Self.moment(text) {
        lists[lists.count - 1].removeLast()
        lists[lists.count - 1].append((moment, last.zoneText))
      }
    }
    self.lists = lists
  }

  /// Parses the date and time in `Sun 2026-10-25 00:30:00 UTC`; the zone is ignored.
  private static func moment(_ text: Substring) -> Timestamp? {
    let words = text.split(separator: " ")
    guard words.count >= 3 else { return nil }
    return Timestamp(iso8601: "\(words[1])T\(words[2])Z")
  }

  /// Returns all elapses in order, each moment once, and whether the list is complete.
  ///
  /// `count` is the number of elapses requested per expression: after the last one of a full list,
  /// nothing is known.
  package func known(outOf count: Int) -> (elapses: [Elapse], isComplete: Bool) {
    let ends = lists.filter { $0.count >= count }.compactMap { $0.last?.moment }
    let end = ends.min()
    var elapses: [Elapse] = []
    let sorted = lists.joined().sorted { $0.moment < $1.moment }
    for elapse in sorted where end.map({ elapse.moment <= $0 }) ?? true {
      if elapses.last?.moment != elapse.moment { elapses.append(elapse) }
    }
    return (elapses, end == nil)
  }
}
