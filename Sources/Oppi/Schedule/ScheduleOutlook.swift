// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// A schedule with its next runs and the missed ones.
struct ScheduleOutlook: Sendable {
  /// How late a slot may be before it counts as missed, besides its jitter.
  private static let grace = Duration.seconds(300)

  let record: ScheduleRecord
  /// `nil` if unknown.
  let next: [CalendarElapses.Elapse]?
  /// The slots without a run after the last recorded one; `nil` if unknown.
  let missed: [Timestamp]?
  let now: Timestamp

  init(
    _ record: ScheduleRecord,
    next: [CalendarElapses.Elapse]? = nil,
    missed: [Timestamp]? = [],
    at now: Timestamp
  ) {
    (self.record, self.next, self.missed, self.now) = (record, next, missed, now)
  }

  /// Queries the calendar for the next `count` runs and the missed ones; they stay unknown if it
  /// fails.
  init(of record: ScheduleRecord, count: Int = 1, in context: IntentContext) async {
    let now = context.now()
    let calendar = ScheduleCalendar(context)
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
    guard schedule.isEnabled else {
      self.init(record, at: now)
      return
    }
    let next = try? await calendar.next(schedule, after: now, count: count)
    var missed: [Timestamp]? = []
    if !isRunning {
      // Not missed yet: a run that may still start.
      let late = now.moved(by: .zero - schedule.jitter - Self.grace)
      missed = try? await calendar.slots(of: schedule, after: record.settled(at: now), upTo: late)
    }
    self.init(record, next: next, missed: missed, at: now)
  }
}

extension IntentContext {
  /// Reads schedules sorted by name, all or only the named one, and collects errors.
  ///
  /// An error of one record, from reading it or from the body, does not affect the others.
  ///
  /// - Throws: `FileError` if the schedules cannot be listed; `SchedulingError.noSchedule` if the
  ///   named one does not exist.
  func readSchedules<Value>(
    only name: ShortcutName? = nil,
    _ body: (ScheduleRecord) async throws -> Value
  ) async throws -> (values: [Value], defects: [any Error]) {
    if let name { _ = try schedules.existing(name) }
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
