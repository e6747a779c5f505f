// SPDX-License-Identifier: MIT

package import OppiText

/// The slots for which cron has started the program, because cron does not pass them on.
package enum CronSlots {
  /// The largest delay of a busy cron, in minutes.
  private static let delay = 3
  /// How far to look back for missed slots, in minutes: a week.
  private static let memory = 7 * 1440

  /// Returns the slots that are due when cron has started the program, oldest first.
  ///
  /// Any of `expressions` may match; `clock` returns cron's local time, `nil` if unknown. If no slot
  /// was missed, only the oldest is due; after a gap, all are. If no slot matches, cron uses another
  /// local time, and the current minute is the slot.
  package static func due(
    _ expressions: [CronExpression],
    after settled: Timestamp,
    at now: Timestamp,
    clock: (Timestamp) -> CronExpression.Clock?
  ) -> [Timestamp] {
    let minute = Timestamp(seconds: now.seconds / 60 * 60)
    var slots: [Timestamp] = []
    for number in 0..<memory where slots.count < ScheduleRecord.limit {
      let moment = minute.moved(by: .seconds(-60 * number))
      guard moment > settled else { break }
      guard let shown = clock(moment) else { continue }
      let matching = expressions.filter { $0.matches(shown) }
      guard !matching.isEmpty else { continue }
      // The earlier moment with the same local time, if the clock was set back.
      let first = [3600, 1800].lazy.map { moment.moved(by: .seconds(-$0)) }
        .first { earlier in clock(earlier).map { $0 == shown } ?? false }
      if let first, !matching.contains(where: \.goesByEachHour) {
        // Some cron implementations run a repeated hour once, others twice.
        if first <= settled, number <= delay { return [] }
        if number > 0 { continue }
      }
      slots.insert(moment, at: 0)
    }
    let earliest = minute.moved(by: .seconds(-60 * delay))
    guard let first = slots.first else { return [minute] }
    return first >= earliest ? [first] : slots
  }
}

extension CronExpression {
  /// Whether the expression matches in both repeated hours, because it does not name an hour.
  fileprivate var goesByEachHour: Bool { hour.isStar || minute.isStar }
}

/// The times at which calendar expressions elapse, from the output of `systemd-analyze calendar`.
package enum CalendarElapses {
  /// A moment and its local time, such as `Mon 2026-03-30 02:30:00 CEST`.
  package typealias Elapse = (moment: Timestamp, zoneText: String)

  /// Reads the program's output under `LC_ALL=C`, with the zone in `TZ`: all elapses in order, each
  /// moment once, and whether the list is complete.
  ///
  /// `count` is the number of elapses requested per expression: after the last one of a full list,
  /// nothing is known. Unknown lines are skipped: later versions print more.
  package static func read(
    _ output: String,
    outOf count: Int
  ) -> (elapses: [Elapse], isComplete: Bool) {
    // One list per expression, in order.
    var lists: [[Elapse]] = []
    for line in output.split(separator: "\n") {
      guard let colon = line.firstRange(of: ": ") else { continue }
      let label = line[..<colon.lowerBound].drop { $0 == " " }
      let text = line[colon.upperBound...]
      if label == "Normalized form" {
        lists.append([])
      } else if label == "Next elapse" || label.hasPrefix("Iter. #") {
        guard !lists.isEmpty, let moment = moment(text) else { continue }
        lists[lists.count - 1].append((moment, String(text).safeLine(limit: 60)))
      } else if label == "(in UTC)", let last = lists.last?.last, let moment = moment(text) {
        lists[lists.count - 1].removeLast()
        lists[lists.count - 1].append((moment, last.zoneText))
      }
    }
    let ends = lists.filter { $0.count >= count }.compactMap { $0.last?.moment }
    let end = ends.min()
    var elapses: [Elapse] = []
    let sorted = lists.joined().sorted { $0.moment < $1.moment }
    for elapse in sorted where end.map({ elapse.moment <= $0 }) ?? true {
      if elapses.last?.moment != elapse.moment { elapses.append(elapse) }
    }
    return (elapses, end == nil)
  }

  /// Parses the date and time in `Sun 2026-10-25 00:30:00 UTC`; the zone is ignored.
  private static func moment(_ text: Substring) -> Timestamp? {
    let words = text.split(separator: " ")
    guard words.count >= 3 else { return nil }
    return Timestamp(iso8601: "\(words[1])T\(words[2])Z")
  }
}
