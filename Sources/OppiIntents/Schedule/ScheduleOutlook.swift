// SPDX-License-Identifier: MIT

package import OppiModel
import OppiSystem

/// A schedule with what comes next and what passed without a run.
package struct ScheduleOutlook: Sendable {
  /// How late a slot may be before it is missed, besides its jitter.
  private static let grace = Duration.seconds(300)

  package let record: ScheduleRecord
  /// The next runs; `nil` if they are not known.
  package let next: [CalendarElapses.Elapse]?
  /// The slots that passed without a run after the last recorded one; `nil` if they are not known.
  package let missed: [Timestamp]?
  /// The moment of the outlook.
  package let now: Timestamp

  init(
    _ record: ScheduleRecord,
    next: [CalendarElapses.Elapse]? = nil,
    missed: [Timestamp]? = [],
    at now: Timestamp
  ) {
    (self.record, self.next, self.missed, self.now) = (record, next, missed, now)
  }

  /// Asks the calendar; one that cannot be asked leaves the next runs and the missed ones unknown.
  ///
  /// - Parameters:
  ///   - record: The schedule.
  ///   - count: How many of the next runs to return.
  ///   - context: The world.
  package init(of record: ScheduleRecord, count: Int = 1, in context: IntentContext) async {
    let now = context.now()
    let calendar = ScheduleCalendar(context)
    var isRunning = record.lastOutcome?.state == ScheduleRun.State.running
    // The record counts if it cannot be seen whether the run is active.
    if isRunning, let seen = try? await context.schedules.isRunning(record.schedule.name) {
      isRunning = seen
    }
    var record = record
    if !isRunning { record.endInterrupted() }
    // Cron uses the present time zone of the machine.
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
      // A run that is about to begin is not missed yet.
      let late = now.moved(by: .zero - schedule.jitter - Self.grace)
      missed = try? await calendar.slots(of: schedule, after: record.settled(at: now), upTo: late)
    }
    self.init(record, next: next, missed: missed, at: now)
  }
}

extension IntentContext {
  /// Reads schedules, sorted by their names; a defective one does not hide the others.
  ///
  /// - Parameters:
  ///   - name: The only schedule to read; all if `nil`.
  ///   - body: What to make of each.
  /// - Returns: What the body returned, and the errors of records that it or reading them threw.
  /// - Throws: `FileError` if the schedules cannot be listed; `SchedulingError.noSchedule` if the named
  ///   one does not exist.
  package func readSchedules<Value>(
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
