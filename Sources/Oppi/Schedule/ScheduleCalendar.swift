// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The due times of schedules, from systemd's calendar.
struct ScheduleCalendar: Sendable {
  /// How many slots one query requests; more than a record stores.
  private static let pageSize = 60
  /// The least number of slots to return if there are too many.
  static let fewest = 30

  private let calendar: SystemdCalendar

  init(_ context: IntentContext) {
    calendar = SystemdCalendar(tools: context.tools)
  }

  /// Returns the next `count` runs at most.
  ///
  /// - Throws: `SchedulerError` if systemd-analyze is missing or rejects the schedule;
  ///   `CancellationError`.
  func next(
    _ schedule: Schedule,
    after moment: Timestamp,
    count: Int
  ) async throws -> [CalendarElapses.Elapse] {
    let elapses = try await calendar.elapses(of: schedule, after: moment, count: count)
    return Array(elapses.known(outOf: count).elapses.prefix(count))
  }

  /// Returns the slots after one moment and up to another, in order; only the latest if there are
  /// many.
  ///
  /// - Throws: As ``next(_:after:count:)``.
  func slots(
    of schedule: Schedule,
    after settled: Timestamp,
    upTo end: Timestamp
  ) async throws -> [Timestamp] {
    guard settled < end else { return [] }
    let all = try await page(schedule, after: settled, upTo: end)
    if all.isComplete { return all.slots }
    // Bisects: after `many` there are too many slots, after `few` they fit a page.
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
