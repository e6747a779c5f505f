// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
import OppiSystem
package import OppiTerminal
import OppiText
package import OppiWire

/// The texts of a schedule as rows, and its JSON.
extension ScheduleOutlook {
  private var schedule: Schedule { record.schedule }

  /// The result of the last slot.
  package var outcome: StyledText {
    if let missed, !missed.isEmpty {
      let count = missed.count >= SystemdCalendar.fewest ? "many" : String(missed.count)
      return StyledText(missed.count == 1 ? "missed" : "missed \(count)", .warning)
    }
    guard let last = record.lastOutcome else { return StyledText("") }
    let word =
      last.status.map { $0 == 0 ? last.state : "\(last.state) (\($0))" } ?? last.state
    let age = RelativeTime.age(seconds: last.startedAt.age(at: now))
    let isBad = last.error != nil
    return StyledText(word, isBad ? .error : .plain).with(StyledText(" \(age) ago", .dim))
  }

  /// For example `cron 0 9 * * 1-5`.
  package var trigger: String {
    "\(schedule.trigger.kind.rawValue) \(schedule.trigger.text)".safeLine(limit: 80)
  }

  private var nextText: String {
    guard schedule.isEnabled else { return "paused" }
    guard let next else { return "unknown" }
    return next.first?.zoneText ?? "never"
  }

  /// The successful runs, their average time and their cost.
  var health: String {
    let health = record.health
    guard health.endedCount > 0 else { return "" }
    let time = health.averageTime.map { ElapsedTime.text($0) }
    let cost = health.cost.map(\.text)
    let counts = "\(health.successCount) of \(health.endedCount) ok"
    return [counts, time, cost].compactMap(\.self).joined(separator: ", ")
  }

  /// A missed slot has no session and no error.
  private var lastResult: ScheduleRun? { isMissed ? nil : record.lastOutcome }

  private var isMissed: Bool { missed?.isEmpty == false }

  static let list = Listing<ScheduleOutlook>(
    "schedule",
    formerly: "schedules",
    "The schedules of shortcuts, sorted by name",
    shape,
    columns: [
      .text("NAME", .kept, .name) { $0.schedule.name },
      .text("TRIGGER", .context) { $0.trigger },
      .text("ZONE", .detail(1), .dim) { $0.schedule.zone },
      .text("NEXT RUN", .decides) { $0.nextText },
      .cell("LAST RUN", .decides) { row, _ in row.outcome },
      .text("HEALTH", .detail(2), .dim) { $0.health },
    ],
    pipe: [
      "name", .text { $0.trigger }, "zone",
      .text { $0.schedule.isEnabled ? "enabled" : "disabled" },
      .text { $0.next?.first?.moment.iso8601 },
      .text { $0.isMissed ? ScheduleRun.State.missed : $0.lastResult?.state },
      .text { ($0.missed?.last ?? $0.lastResult?.slot)?.iso8601 },
      .text { $0.lastResult?.sessionID }, .text { $0.lastResult?.error },
      "succeeded", "ended", "averageMs", "cost",
    ]
  )

  /// The next runs, one per line, in the schedule's time zone and in the local one if it differs.
  package static func lines(of next: [CalendarElapses.Elapse]) -> [StyledText] {
    next.map { elapse in
      let line = StyledText("  \(elapse.zoneText)")
      let here = LocalTime.text(at: elapse.moment)
      return here == elapse.zoneText ? line : line.with(StyledText("  (local time \(here))", .dim))
    }
  }

  // MARK: - JSON

  static let shape: JSONShape<ScheduleOutlook> = [
    .text("name", "The shortcut") { $0.schedule.name },
    .member("trigger", "cron, every or at, with its text: an object of kind and text") {
      ScheduleTrigger.shape.json(of: $0.schedule.trigger)
    },
    .texts("calendar", "The trigger as expressions of systemd.time(7)") { $0.schedule.calendar },
    .text("zone", "Its time zone") { $0.schedule.zone },
    .text("missed", "Missed runs: skip, or once for a single run") {
      $0.schedule.missed.rawValue
    },
    .text("onOverlap", "If the previous run is still active: skip or queue") {
      $0.schedule.overlap.rawValue
    },
    .number("jitterMs", "The maximum random delay") { $0.schedule.jitter.milliseconds },
    .text("backend", "The scheduler backend: systemd or cron") {
      $0.schedule.backend.rawValue
    },
    .bool("enabled", "Whether it is enabled") { $0.schedule.isEnabled },
    .list("next", "The next runs; empty if none or unknown", elapseShape) {
      $0.next ?? []
    },
    .member("missedSlots", "The slots without a run since the last run, or null if unknown") {
      $0.missed.map { .array($0.map { .string($0.iso8601) }) } ?? .null
    },
    .bool("pauseOnFailure", "Whether three failures in a row pause it") {
      $0.schedule.pausesOnFailure
    },
    .number("succeeded", "The number of the last runs that succeeded") {
      $0.record.health.successCount
    },
    .number("ended", "The number of the last runs that have ended") {
      $0.record.health.endedCount
    },
    .number("failuresInARow", "The number of failures since the last success") {
      $0.record.health.failuresInARow
    },
    .number("averageMs", "The average time of the last runs, or null") {
      $0.record.health.averageTime?.milliseconds
    },
    .dollars("cost", "The known cost of the last runs in dollars, or null") {
      $0.record.health.cost
    },
    .list("runs", "The last 50 runs, oldest first", runShape) { $0.record.runs },
  ]

  static let elapseShape: JSONShape<CalendarElapses.Elapse> = [
    .text("at", "The time") { $0.moment.iso8601 },
    .text("zoneTime", "The time in its time zone") { $0.zoneText },
    .text("localTime", "The local time") { LocalTime.text(at: $0.moment) },
  ]

  private static let runShape: JSONShape<ScheduleRun> = [
    .text("slot", "Its slot; null for a manual run") { $0.slot?.iso8601 },
    .text("startedAt", "When it started, or was skipped") { $0.startedAt.iso8601 },
    .text("endedAt", "When it ended, or null") { $0.endedAt?.iso8601 },
    .text("state", "A state of 'oppi ask', or running, interrupted, skipped or missed") {
      $0.state
    },
    .text("sessionId", "The session of the prompt, or null") { $0.sessionID },
    .number("status", "The exit status, or null") { $0.status },
    .text("error", "The error, or null") { $0.error },
    .dollars("cost", "The cost of its turn in dollars, or null") { $0.cost },
  ]
}

/// A schedule that a server runs itself, as a row next to those of other schedules.
package struct ServerScheduleRow: Sendable {
  package let server: PairedServer
  package let schedule: ServerSchedule
  /// The next run; empty if there is none, `nil` if it cannot be determined here.
  package let next: [CalendarElapses.Elapse]?

  /// The name for 'oppi schedule run'.
  package var name: String { server.qualified(schedule.name) }

  private var triggerText: String {
    switch schedule.trigger {
    case .at(let moment): moment.iso8601
    case .every(let interval): ElapsedTime.text(interval)
    case .cron(let text): text
    case .unknown: ""
    }
  }

  package var trigger: String { "\(schedule.trigger.kind) \(triggerText)" }

  private var nextText: String {
    guard let next else { return "unknown" }
    return next.first?.zoneText ?? (schedule.status == "paused" ? "paused" : "never")
  }

  /// In a pipe, the result of the last run is not known.
  static let list = Listing<ServerScheduleRow>(
    "serverSchedules",
    "With --all: the schedules that servers run themselves",
    shape,
    columns: [
      .text("NAME", .kept, .name) { $0.name },
      .text("TRIGGER", .context) { $0.trigger },
      .text("ZONE", .detail(1), .dim) { $0.schedule.zone },
      .text("NEXT RUN", .decides) { $0.nextText },
      .text("LAST RUN", .decides, .dim) { "run by \($0.server.name)" },
    ],
    pipe: [
      .text { $0.name }, .text { $0.trigger }, "zone",
      .text { $0.schedule.isActive ? "enabled" : "disabled" },
      .text { $0.next?.first?.moment.iso8601 }, .text { _ in nil }, .text { _ in nil },
      "sessionId", .text { _ in nil },
    ]
  )

  private static let shape: JSONShape<ServerScheduleRow> = [
    .text("id", "Its id") { $0.schedule.id },
    .text("name", "Its name") { $0.schedule.name },
    .member("trigger", "cron, every or at, with its text: an object of kind and text") {
      ["kind": .string($0.schedule.trigger.kind), "text": .string($0.triggerText)]
    },
    .text("zone", "Its time zone") { $0.schedule.zone },
    .text("state", "active or paused") { $0.schedule.status },
    .list("next", "The next run; empty if none or unknown", ScheduleOutlook.elapseShape) {
      $0.next ?? []
    },
    .bool("nextUnknown", "Whether the next run cannot be determined here") { $0.next == nil },
    .text("workspaceId", "The workspace's id on the server, or null") { $0.schedule.workspaceID },
    .text("sessionId", "The session that gets the prompt, or null if each run has its own") {
      $0.schedule.sessionID
    },
    .server { $0.server },
  ]
}
