// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ScheduleNext {
  struct Options: Sendable, Equatable {
    var name: ShortcutName?
    var count = 2
  }

  private static let countLimit = 50

  private struct Coming {
    let schedule: Schedule
    let next: [CalendarElapses.Elapse]
  }

  static let command: Command = Command(
    "next",
    "Show the next runs",
    discussion: """
      Times are in the schedule's time zone, followed by the local time if it differs. In a pipe \
      each line has, separated by tabs: name, time in UTC, time in the schedule's time zone, and \
      local time.
      """,
    exitStatuses: [0, 64, 66, 69, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .option("count", \.count, "Show this many runs of each schedule"),
      .positional(
        "name",
        completion: .dynamic("schedule"),
        \.name,
        "Only the schedule of this shortcut"
      ),
    ],
    validate: { (options) throws(UsageError) in
      guard (1...countLimit).contains(options.count) else {
        throw UsageError(.custom("--count expects 1 to \(countLimit)"))
      }
    },
    run: run
  )
  .listing("next")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let calendar = ScheduleCalendar(context.intents)
    let (found, defects) = try await context.intents.readSchedules(only: options.name) { record in
      let schedule = record.schedule
      let next =
        schedule.isEnabled
        ? try await calendar.next(schedule, after: context.now(), count: options.count) : []
      return Coming(schedule: schedule, next: next)
    }
    return Report(
      shape.document(of: found),
      .lines(found.flatMap(lines)),
      pipe: .table { pipeTable(of: found) },
      status: found.isEmpty && defects.isEmpty ? "no schedules" : nil,
      notes: Schedules.notes(of: defects),
      failure: defects.first.map { OppiError($0) }
    )
  }

  private static func lines(of coming: Coming) -> [StyledText] {
    let schedule = coming.schedule
    let head = StyledText(schedule.name, .name).with(StyledText(" in \(schedule.zone)", .dim))
    guard schedule.isEnabled else { return [head.with(StyledText(", disabled", .dim))] }
    return [head] + (coming.next.isEmpty ? ["  never"] : ScheduleRow.lines(of: coming.next))
  }

  private typealias Run = (schedule: Schedule, elapse: CalendarElapses.Elapse)

  private static func runs(of coming: [Coming]) -> [Run] {
    coming.flatMap { coming in coming.next.map { (coming.schedule, $0) } }
  }

  private static func pipeTable(of coming: [Coming]) -> Table {
    Table(plain: runs(of: coming)) { schedule, elapse in
      [schedule.name, elapse.moment.iso8601, elapse.zoneText, LocalTime.text(at: elapse.moment)]
    }
  }

  private static let runShape = JSONShape<Run>(
    [
      .text("name", "The shortcut") { $0.schedule.name },
      .text("zone", "The schedule's time zone") { $0.schedule.zone },
    ] + ScheduleRow.elapseShape.members { $0.elapse }
  )

  private static let comingShape: JSONShape<Coming> = [
    .text("name", "The shortcut") { $0.schedule.name },
    .text("zone", "Its time zone") { $0.schedule.zone },
    .member("enabled", "Whether it is enabled") { .bool($0.schedule.isEnabled) },
    .list("next", "The next runs", ScheduleRow.elapseShape) { $0.next },
  ]

  private static let shape: JSONShape<[Coming]> = [
    .list("next", "The next runs of all schedules", runShape) { runs(of: $0) },
    .list("schedules", "The schedules, sorted by name", comingShape) { $0 },
  ]
}
