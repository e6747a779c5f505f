// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiSystem
import OppiText

/// A schedule with its next runs and the missed ones.
package struct ScheduleOutlook: Sendable {
  /// How late a slot may be before it counts as missed, besides its jitter.
  static let grace = Duration.seconds(300)

  package let record: ScheduleRecord
  /// `nil` if unknown.
  package var next: [CalendarElapses.Elapse]?
  /// The slots without a run after the last recorded one; `nil` if unknown.
  var missed: [Timestamp]? = []
  let now: Timestamp
}

extension ScheduleOutlook {
  /// Queries the calendar for the next `count` runs and the missed ones; they stay unknown if it
  /// fails.
  package init(of record: ScheduleRecord, count: Int = 1, in context: Services) async {
    let now = context.now()
    let calendar = context.calendar
    var isRunning = record.lastOutcome?.state == ScheduleRun.State.running
    // The record decides if the lock cannot be checked.
    if isRunning, let seen = try? await context.schedules.isRunning(record.schedule.name) {
      isRunning = seen
    }
    var record = record
    if !isRunning { record.endInterrupted() }
    // Cron uses the machine's current time zone.
    if record.schedule.backend == .cron,
      let zone = LocalTime.zone(environment: context.environment)
    {
      record.schedule.zone = zone
    }
    let schedule = record.schedule
    self.init(record: record, now: now)
    guard schedule.isEnabled else { return }
    next = try? await calendar.next(schedule, after: now, count: count)
    if !isRunning {
      // Not missed yet: a run that may still start.
      let late = now.moved(by: .zero - schedule.jitter - Self.grace)
      missed = try? await calendar.slots(of: schedule, after: record.settled(at: now), upTo: late)
    }
  }
}

extension Services {
  var calendar: SystemdCalendar { SystemdCalendar(tools: tools) }

  /// Reads schedules sorted by name, all or only the named one, and collects errors.
  ///
  /// An error of one record, from reading it or from the body, does not affect the others.
  ///
  /// - Throws: `FileError` if the schedules cannot be listed; `OppiError` if the named one does not
  ///   exist.
  package func readSchedules<Value>(
    only name: ShortcutName? = nil,
    _ body: (ScheduleRecord) async throws -> Value
  ) async throws -> (values: [Value], defects: [any Error]) {
    if let name { _ = try existingSchedule(of: name) }
    var (values, defects): ([Value], [any Error]) = ([], [])
    for name in try name.map({ [$0] }) ?? schedules.all() {
      do {
        guard let record = try schedules.load(name.text) else { continue }
        values.append(try await body(record))
      } catch {
        defects.append(error)
      }
    }
    return (values, defects)
  }
}

/// The due times of schedules.
extension SystemdCalendar {
  /// How many slots one query requests; more than a record stores.
  private static let pageSize = 60
  /// The least number of slots to return if there are too many.
  static let fewest = 30

  /// Returns the next `count` runs at most.
  ///
  /// - Throws: `ToolError` if systemd-analyze is missing or rejects the schedule;
  ///   `CancellationError`.
  func next(
    _ schedule: Schedule,
    after moment: Timestamp,
    count: Int
  ) async throws -> [CalendarElapses.Elapse] {
    Array(try await elapses(of: schedule, after: moment, count: count).elapses.prefix(count))
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

  /// - Throws: `OppiError` if no time zone has the name; else as
  ///   ``next(_:after:count:)``.
  func check(zone: String) async throws {
    guard try await hasZone(zone) else {
      throw OppiError(
        .usage,
        "no time zone '\(zone.safeLine(limit: 60))'",
        hints: ["list time zones with: timedatectl list-timezones"]
      )
    }
  }

  private func page(
    _ schedule: Schedule,
    after start: Timestamp,
    upTo end: Timestamp
  ) async throws -> (slots: [Timestamp], isComplete: Bool) {
    let found = try await elapses(of: schedule, after: start, count: Self.pageSize)
    let slots = found.elapses.map(\.moment).filter { $0 <= end }
    return (slots, found.isComplete || slots.count < found.elapses.count)
  }
}
