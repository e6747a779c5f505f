// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// A schedule as the command line asks for it.
struct ScheduleWish: Sendable, Equatable {
  /// So many runs are looked at for two that are closer together than others.
  private static let lookahead = 50

  var cron: String?
  var interval: Duration?
  var moment: String?
  var zone: String?
  var missed = Schedule.Missed.skip
  var overlap = Schedule.Overlap.skip
  var jitter = Duration.zero
  var backend: Schedule.Backend?

  /// Makes sense of it.
  ///
  /// - Throws: `OppiError` where it is no schedule, or the backend cannot do it.
  func schedule(of name: ShortcutName, in context: Context) async throws -> Schedule {
    if let zone { try await ScheduleCalendar(context: context).check(zone: zone) }
    var schedule = try read(name, own: LocalTime.zone(environment: context.environment))
    schedule.missed = missed
    schedule.overlap = overlap
    schedule.jitter = jitter
    schedule.backend = backend ?? (UserManager(context: context).isThere ? .systemd : .cron)
    switch schedule.backend {
    case .systemd: try SystemdTimers(context: context).check()
    case .cron:
      try checkCron(schedule, own: LocalTime.zone(environment: [:]), in: context)
    }
    return schedule
  }

  private func read(_ name: ShortcutName, own: String?) throws -> Schedule {
    let option = cron != nil ? "--cron" : interval != nil ? "--every" : "--at"
    do throws(ScheduleError) {
      if let moment { return try once(at: moment, name, own) }
      let expressions: [CronExpression]
      let trigger: ScheduleTrigger
      if let interval {
        expressions = try CronExpression.every(interval)
        trigger = .every(interval.argumentText ?? "")
      } else {
        let expression = try CronExpression(cron ?? "")
        expressions = [expression]
        trigger = .cron(Self.plain(cron ?? "", expression))
      }
      let place = try place(known: own)
      return Schedule(
        name: name.text,
        trigger: trigger,
        calendar: expressions.flatMap(\.calendar),
        cron: expressions.map(\.cronText),
        zone: place
      )
    } catch {
      throw OppiError(.usage, "\(option) \(error.message)")
    }
  }

  /// An expression as it was written, but in one line, and not at any length.
  private static func plain(_ text: String, _ expression: CronExpression) -> String {
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.utf8.count > 200 ? expression.cronText : words
  }

  private func once(
    at text: String,
    _ name: ShortcutName,
    _ own: String?
  ) throws(ScheduleError) -> Schedule {
    let written = try WrittenMoment(text)
    let (clock, clocks): (String, String)
    switch written.zone {
    case .offset: (clock, clocks) = (written.clockInUTC ?? written.clock, "UTC")
    case .local: (clock, clocks) = (written.clock, try place(known: own))
    case .unsaid:
      guard let zone else {
        throw ScheduleError(
          "needs a zone: end it with 'local', Z or an offset such as +01:00, or give --tz"
        )
      }
      (clock, clocks) = (written.clock, zone)
    }
    if zone != nil, written.zone != .unsaid {
      throw ScheduleError("says its zone itself, so it goes without --tz")
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
  private func place(known own: String?) throws(ScheduleError) -> String {
    if let zone { return zone }
    guard let own else {
      throw ScheduleError("needs --tz: this machine's time zone has no name; TZ can give it")
    }
    return own
  }

  /// What cron cannot do is refused, with the reason.
  private func checkCron(_ schedule: Schedule, own: String?, in context: Context) throws {
    let shown = LocalTime.zone(environment: context.environment)
    let reason: String? =
      if schedule.cron.isEmpty {
        "cron runs nothing once; use at(1) with 'oppi run \(schedule.name)', or systemd"
      } else if schedule.missed == .once {
        "cron makes up for nothing, so --missed once needs systemd"
      } else if let zone, !TimeZoneName.areSame(zone, own ?? shown) {
        "cron goes by this machine's clocks, so --tz \(zone) needs systemd"
      } else if let own, !TimeZoneName.areSame(own, shown) {
        "cron goes by this machine's clocks (\(own)) and not by TZ; use systemd, or unset TZ"
      } else {
        nil
      }
    guard let reason else { return }
    throw OppiError(.usage, reason)
  }

  /// Returns the next two runs, which must be there.
  ///
  /// - Throws: `OppiError` for what never comes, or comes less far apart than the jitter is long.
  func upcoming(
    _ schedule: Schedule,
    in context: Context
  ) async throws -> [CalendarElapses.Elapse] {
    let calendar = ScheduleCalendar(context: context)
    let next: [CalendarElapses.Elapse]
    do {
      next = try await calendar.next(schedule, after: context.now(), count: Self.lookahead)
    } catch let error as OppiError where schedule.backend == .cron && error.code == .noScheduler {
      await context.console.warn("the next runs are not known: \(error.message)")
      return []
    }
    guard !next.isEmpty else {
      throw OppiError(
        .usage,
        moment == nil
          ? "this never comes" : "--at \(schedule.trigger.text.safeLine()) is in the past"
      )
    }
    if zip(next, next.dropFirst()).contains(where: { $0.moment.moved(by: jitter) >= $1.moment }) {
      throw OppiError(.usage, "--jitter must be shorter than the time between two runs")
    }
    return Array(next.prefix(2))
  }
}
