// SPDX-License-Identifier: MIT

package import OppiModel
import OppiSystem

/// When schedules are due, by systemd's calendar.
package struct ScheduleCalendar: Sendable {
  /// How many slots are asked for at once; more than a record remembers.
  private static let pageSize = 60
  /// How many slots are returned at least if there are too many.
  package static let fewest = 30

  private let calendar: SystemdCalendar

  package init(_ context: IntentContext) {
    calendar = SystemdCalendar(tools: context.tools)
  }

  /// Returns the next moments at which a schedule is due, at most `count`.
  ///
  /// - Throws: `SchedulerError` if systemd-analyze is missing or rejects the schedule;
  ///   `CancellationError`.
  package func next(
    _ schedule: Schedule,
    after moment: Timestamp,
    count: Int
  ) async throws -> [CalendarElapses.Elapse] {
    let elapses = try await calendar.elapses(of: schedule, after: moment, count: count)
    return Array(elapses.known(outOf: count).elapses.prefix(count))
  }

  /// Returns the slots after one moment and up to another, in order; the last ones if there are many.
  ///
  /// - Throws: As ``next(_:after:count:)``.
  package func slots(
    of schedule: Schedule,
    after settled: Timestamp,
    upTo end: Timestamp
  ) async throws -> [Timestamp] {
    guard settled < end else { return [] }
    let all = try await page(schedule, after: settled, upTo: end)
    if all.isComplete { return all.slots }
    // After `many` there are too many slots, after `few` none: the wanted moment is between them.
    var (many, few) = (settled, end)
    var slots: [Timestamp] = []
    while slots.count < Self.fewest, few.milliseconds - many.milliseconds > 1000 {
      let middle = many.moved(by: .milliseconds((few.milliseconds - many.milliseconds) / 2))
      let page = try await page(schedule, after: middle, upTo: end)
      if page.isComplete { (few, slots) = (middle, page.slots) } else { many = middle }
    }
    return slots
  }

  /// - Throws: `SchedulingError.unknownZone` if no time zone has the name; else as
  ///   ``next(_:after:count:)``.
  func check(zone: String) async throws {
    guard try await calendar.hasZone(zone) else { throw SchedulingError.unknownZone(zone) }
  }

  private func page(
    _ schedule: Schedule,
    after start: Timestamp,
    upTo end: Timestamp
  ) async throws -> (slots: [Timestamp], isComplete: Bool) {
    let count = Self.pageSize
    let found = try await calendar.elapses(of: schedule, after: start, count: count)
      .known(outOf: count)
    let slots = found.elapses.map(\.moment).filter { $0 <= end }
    return (slots, found.isComplete || slots.count < found.elapses.count)
  }
}
