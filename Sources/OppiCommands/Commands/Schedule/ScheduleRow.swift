// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// A schedule with what comes and what became of it, for people and for programs.
struct ScheduleRow {
  let record: ScheduleRecord
  /// The next runs; `nil` where that cannot be learned.
  var next: [CalendarElapses.Elapse]?
  /// What passed without a run since the last one that is written down; `nil` where that cannot be
  /// learned.
  var missed: [Timestamp]? = []
  let now: Timestamp

  private var schedule: Schedule { record.schedule }

  /// What became of the last slot, in a word or two.
  var outcome: StyledText {
    if let missed, !missed.isEmpty {
      let count = missed.count >= ScheduleCalendar.fewest ? "many" : String(missed.count)
      return StyledText(missed.count == 1 ? "missed" : "missed \(count)", .warning)
    }
    guard let last = record.lastOutcome else { return StyledText("") }
    let word =
      last.status.map { $0 == 0 ? last.state : "\(last.state) (\($0))" } ?? last.state
    let age = RelativeTime.age(seconds: last.startedAt.age(at: now))
    let isBad = last.error != nil
    return StyledText(word, isBad ? .error : .plain).with(StyledText(" \(age) ago", .dim))
  }

  /// `cron 0 9 * * 1-5`, and whose clocks that is about.
  private var trigger: String {
    "\(schedule.trigger.kind) \(schedule.trigger.text)".safeLine(limit: 80)
  }

  private var nextText: String {
    guard schedule.isEnabled else { return "disabled" }
    guard let next else { return "not known" }
    return next.first?.zoneText ?? "never"
  }

  static func table(of rows: [ScheduleRow]) -> Table {
    var table = Table()
    for row in rows {
      table.add([
        StyledText(row.schedule.name, .name),
        StyledText(row.trigger),
        StyledText(row.schedule.zone, .dim),
        StyledText(row.nextText),
        row.outcome,
      ])
    }
    return table
  }

  static func pipeTable(of rows: [ScheduleRow]) -> Table {
    var table = Table()
    for row in rows {
      // What was missed has no session and no error of its own.
      let missed = row.missed ?? []
      let last = missed.isEmpty ? row.record.lastOutcome : nil
      let cells = [
        row.schedule.name, row.trigger, row.schedule.zone,
        row.schedule.isEnabled ? "enabled" : "disabled",
        row.next?.first?.moment.iso8601 ?? "",
        missed.isEmpty ? last?.state ?? "" : ScheduleRun.State.missed,
        (missed.last ?? last?.slot)?.iso8601 ?? "", last?.sessionID ?? "", last?.error ?? "",
      ]
      table.add(cells.map { StyledText($0) })
    }
    return table
  }

  /// What comes, a line each: on the clocks of the schedule, and on those here.
  static func lines(of next: [CalendarElapses.Elapse]) -> [StyledText] {
    next.map { elapse in
      let line = StyledText("  \(elapse.zoneText)")
      let here = LocalTime.text(at: elapse.moment)
      return here == elapse.zoneText ? line : line.with(StyledText("  (here \(here))", .dim))
    }
  }

  // MARK: - For programs

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<ScheduleRow> = [
    .member("name", "The shortcut") { .string($0.schedule.name) },
    .member("trigger", "cron, every or at, with what was written: an object of kind and text") {
      ["kind": .string($0.schedule.trigger.kind), "text": .string($0.schedule.trigger.text)]
    },
    .member("calendar", "The same as expressions of systemd.time(7)") {
      .array($0.schedule.calendar.map(JSONValue.string))
    },
    .member("zone", "The time zone that it is about") { .string($0.schedule.zone) },
    .member("missed", "skip, or once: one run makes up for those that were missed") {
      .string($0.schedule.missed.rawValue)
    },
    .member("onOverlap", "skip, or queue: a run comes after one that still goes on") {
      .string($0.schedule.overlap.rawValue)
    },
    .member("jitterMs", "By how much a run may be late on purpose") {
      .integer(Int64($0.schedule.jitter.milliseconds))
    },
    .member("backend", "Who watches the clock: systemd or cron") {
      .string($0.schedule.backend.rawValue)
    },
    .member("enabled", "Whether it is watched for") { .bool($0.schedule.isEnabled) },
    .list("next", "The next runs; none where it never comes or nobody can tell", elapseShape) {
      $0.next ?? []
    },
    .member("missedSlots", "What passed without a run since the last outcome, or null if unknown") {
      $0.missed.map { .array($0.map { .string($0.iso8601) }) } ?? .null
    },
    .list("runs", "What became of the last 50, oldest first", runShape) { $0.record.runs },
  ]

  static let elapseShape: JSONShape<CalendarElapses.Elapse> = [
    .member("at", "The moment") { .string($0.moment.iso8601) },
    .member("zoneTime", "What the clocks of its zone show") { .string($0.zoneText) },
    .member("localTime", "What the clocks here show") { .string(LocalTime.text(at: $0.moment)) },
  ]

  private static let runShape: JSONShape<ScheduleRun> = [
    .member("slot", "The moment that it is for; null for a run by hand") {
      $0.slot.map { .string($0.iso8601) } ?? .null
    },
    .member("startedAt", "When it began, or was passed over") { .string($0.startedAt.iso8601) },
    .member("endedAt", "When it ended, or null") {
      $0.endedAt.map { .string($0.iso8601) } ?? .null
    },
    .member("state", "As of 'ask', or running, interrupted, skipped or missed") {
      .string($0.state)
    },
    .member("sessionId", "The session that got the prompt, or null") {
      $0.sessionID.map(JSONValue.string) ?? .null
    },
    .member("status", "The exit status, or null") {
      $0.status.map { .integer(Int64($0)) } ?? .null
    },
    .member("error", "What went wrong, or null") { $0.error.map(JSONValue.string) ?? .null },
  ]
}

extension ScheduleRow {
  /// Asks what comes and what was missed; a calendar that cannot be asked leaves both open.
  static func make(
    of record: ScheduleRecord,
    count: Int = 1,
    in context: Context
  ) async -> ScheduleRow {
    let now = context.now()
    let calendar = ScheduleCalendar(context: context)
    var isRunning = record.lastOutcome?.state == ScheduleRun.State.running
    // What is written down stands where it cannot be seen whether the run goes on.
    if isRunning, let seen = try? await context.schedules.isRunning(record.schedule.name) {
      isRunning = seen
    }
    var record = record
    if !isRunning { record.endInterrupted() }
    // Cron goes by the clocks that are here now.
    if record.schedule.backend == .cron,
      let zone = LocalTime.zone(environment: context.environment)
    {
      record.schedule.zone = zone
    }
    var row = ScheduleRow(record: record, now: now)
    guard record.schedule.isEnabled else { return row }
    row.next = try? await calendar.next(record.schedule, after: now, count: count)
    guard !isRunning else { return row }
    // What is just about to begin is not missed yet.
    let late = now.moved(by: .zero - record.schedule.jitter - .seconds(300))
    row.missed = try? await calendar.slots(
      of: record.schedule,
      after: record.settled(at: now),
      upTo: late
    )
    return row
  }
}
