// SPDX-License-Identifier: MIT

/// A schedule as requested by the user.
package struct ScheduleRequest: Sendable, Equatable {
  package enum Trigger: Sendable, Equatable {
    /// Five fields of crontab(5) or a nickname.
    case cron(String)
    /// An interval, and its text in the user's option.
    case every(Duration, written: String)
    case at(String)
  }

  package var trigger: Trigger
  /// The name of a time zone; `nil` for this machine's.
  package var zone: String?
  package var missed = Schedule.Missed.skip
  package var overlap = Schedule.Overlap.skip
  package var jitter = Duration.zero
  /// Whether a series of failures disables it.
  package var pausesOnFailure = false
  /// `nil` for systemd if its user manager runs, else cron.
  package var backend: Schedule.Backend?

  package init(_ trigger: Trigger) {
    self.trigger = trigger
  }

  /// Returns the schedule of a shortcut; the caller chooses the backend.
  ///
  /// - Parameters:
  ///   - name: The shortcut.
  ///   - localZone: The name of this machine's time zone, or of `TZ`; `nil` if it has none.
  /// - Returns: The schedule.
  /// - Throws: `ScheduleError` for an invalid schedule; its message follows the trigger's option.
  package func schedule(
    of name: ShortcutName,
    localZone: String?
  ) throws(ScheduleError) -> Schedule {
    var schedule =
      switch trigger {
      case .at(let text): try once(at: text, name, localZone)
      case .every(let interval, let written):
        try repeated(.every(written), by: try CronExpression.every(interval), name, localZone)
      case .cron(let text): try repeated(by: text, name, localZone)
      }
    schedule.missed = missed
    schedule.overlap = overlap
    schedule.jitter = jitter
    schedule.pausesOnFailure = pausesOnFailure
    return schedule
  }

  private func repeated(
    by text: String,
    _ name: ShortcutName,
    _ localZone: String?
  ) throws(ScheduleError) -> Schedule {
    let expression = try CronExpression(text)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    // As written, but on one line and with limited length.
    let plain = words.utf8.count > 200 ? expression.cronText : words
    return try repeated(.cron(plain), by: [expression], name, localZone)
  }

  private func repeated(
    _ trigger: ScheduleTrigger,
    by expressions: [CronExpression],
    _ name: ShortcutName,
    _ localZone: String?
  ) throws(ScheduleError) -> Schedule {
    Schedule(
      name: name.text,
      trigger: trigger,
      calendar: expressions.flatMap(\.calendar),
      cron: expressions.map(\.cronText),
      zone: try place(localZone)
    )
  }

  private func once(
    at text: String,
    _ name: ShortcutName,
    _ localZone: String?
  ) throws(ScheduleError) -> Schedule {
    let written = try WrittenMoment(text)
    let (clock, clocks): (String, String)
    switch written.zone {
    case .offset: (clock, clocks) = (written.clockInUTC ?? written.clock, "UTC")
    case .local: (clock, clocks) = (written.clock, try place(localZone))
    case .unsaid:
      guard let zone else {
        throw ScheduleError(
          "requires a time zone: append 'local', Z or an offset such as +01:00, or give --tz"
        )
      }
      (clock, clocks) = (written.clock, zone)
    }
    if zone != nil, written.zone != .unsaid {
      throw ScheduleError("contains a time zone and cannot be used with --tz")
    }
    return Schedule(
      name: name.text,
      trigger: .at(text.safeLine(limit: 60)),
      calendar: [clock],
      cron: [],
      zone: clocks
    )
  }

  /// The zone of `--tz`, or this machine's.
  private func place(_ localZone: String?) throws(ScheduleError) -> String {
    if let zone { return zone }
    guard let localZone else {
      throw ScheduleError("requires --tz: the name of this machine's time zone is unknown")
    }
    return localZone
  }
}

extension ScheduleRequest {
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
