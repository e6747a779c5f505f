// SPDX-License-Identifier: MIT

import OppiText

/// A schedule as requested by the user.
package struct ScheduleRequest: Sendable, Equatable {
  package var trigger: ScheduleTrigger
  /// The name of a time zone; `nil` for this machine's.
  package var zone: String?
  package var missed = Schedule.Missed.skip
  package var overlap = Schedule.Overlap.skip
  package var jitter = Duration.zero
  /// Whether a series of failures disables it.
  package var pausesOnFailure = false
  /// `nil` for systemd if its user manager runs, else cron.
  package var backend: Schedule.Backend?

  package init(_ trigger: ScheduleTrigger) {
    self.trigger = trigger
  }

  /// Returns the schedule of a shortcut; the caller chooses the backend.
  ///
  /// - Parameters:
  ///   - name: The shortcut.
  ///   - interval: The interval of the trigger `every`.
  ///   - localZone: The name of this machine's time zone, or of `TZ`; `nil` if it has none.
  /// - Returns: The schedule.
  /// - Throws: `ScheduleError` for an invalid schedule; its message follows the trigger's option.
  package func schedule(
    of name: ShortcutName,
    every interval: Duration? = nil,
    localZone: String?
  ) throws(ScheduleError) -> Schedule {
    var schedule = Schedule(name: name.text, trigger: trigger)
    schedule.missed = missed
    schedule.overlap = overlap
    schedule.jitter = jitter
    schedule.pausesOnFailure = pausesOnFailure
    let expressions: [CronExpression]
    switch trigger.kind {
    case .at:
      schedule.trigger.text = trigger.text.safeLine(limit: 60)
      (schedule.calendar, schedule.zone) = try once(localZone)
      return schedule
    case .every: expressions = try CronExpression.every(interval ?? .zero)
    case .cron:
      let expression = try CronExpression(trigger.text)
      let words = trigger.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      // As written, but on one line and with limited length.
      schedule.trigger.text = words.utf8.count > 200 ? expression.cronText : words
      expressions = [expression]
    }
    schedule.calendar = expressions.flatMap(\.calendar)
    schedule.cron = expressions.map(\.cronText)
    schedule.zone = try place(localZone)
    return schedule
  }

  /// The calendar and the zone of the trigger `at`.
  private func once(_ localZone: String?) throws(ScheduleError) -> ([String], String) {
    let written = try WrittenMoment(trigger.text)
    guard written.zone != .unsaid else {
      if let zone { return ([written.clock], zone) }
      throw ScheduleError(
        "requires a time zone: append 'local', Z or an offset such as +01:00, or give --tz"
      )
    }
    guard zone == nil else {
      throw ScheduleError("contains a time zone and cannot be used with --tz")
    }
    return ([written.clock], written.zone == .utc ? "UTC" : try place(localZone))
  }

  /// The zone of `--tz`, or this machine's.
  private func place(_ localZone: String?) throws(ScheduleError) -> String {
    if let zone { return zone }
    guard let localZone else {
      throw ScheduleError("requires --tz: the name of this machine's time zone is unknown")
    }
    return localZone
  }

  /// Returns the first reason why cron does not support the schedule; `nil` if it does.
  ///
  /// `machineZone` is this machine's time zone, regardless of `TZ`; `localZone` is that of `TZ` if
  /// set.
  package func cronLimit(
    of schedule: Schedule,
    machineZone: String?,
    localZone: String?
  ) -> String? {
    if schedule.cron.isEmpty {
      return "cron cannot run one-time jobs; use at(1) with 'oppi run \(schedule.name)', or systemd"
    }
    if schedule.missed == .once {
      return "cron does not run missed jobs; --missed once requires systemd"
    }
    if let zone, !TimeZoneName.areSame(zone, machineZone ?? localZone) {
      return "cron uses this machine's time zone; --tz \(zone) requires systemd"
    }
    if let machineZone, !TimeZoneName.areSame(machineZone, localZone) {
      return "cron uses this machine's time zone (\(machineZone)) and ignores TZ; "
        + "use systemd, or unset TZ"
    }
    return nil
  }
}
