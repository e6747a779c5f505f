// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
import OppiTerminal
import OppiWire

/// `oppi schedule`: runs shortcuts on a schedule.
package enum Schedules {
  package static let command: Command = Command(
    "schedule",
    "Run shortcuts on a schedule, with systemd or cron",
    discussion: """
      A schedule runs a shortcut by a timer of systemd's user manager, or by cron:

          oppi schedule add standup --cron '0 9 * * 1-5'
          oppi schedule add standup --replace --every 30m --on-overlap skip
          oppi schedule         the next run and the last result of each
          oppi schedule next    the next two runs, in both time zones
          oppi schedule pause --all    no runs until 'oppi schedule resume --all'

      Each run has a slot, the time at which it is due. The slot is recorded before anything is \
      sent, so it runs at most once, even if the clock is changed. Missed slots are shown; \
      --missed once runs the last one late. A failed run raises a notification and is shown by \
      'oppi schedule list'. To run schedules while you are not logged in: loginctl enable-linger.
      """,
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [
      ScheduleList.command, ScheduleAddCommand.command, ScheduleNext.command,
      ScheduleRunNow.command,
      ScheduleSwitch.enable, ScheduleSwitch.disable, ScheduleSwitch.pause, ScheduleSwitch.resume,
      ScheduleRemove.command,
    ]
  )

  private struct OneSchedule: Sendable {
    @Required var name: ShortcutName
  }

  /// Declares a subcommand for the schedule of one shortcut.
  static func verb(
    _ word: String,
    _ summary: String,
    discussion: @autoclosure @escaping @Sendable () -> String,
    exitStatuses: [Int32],
    members: @autoclosure @escaping @Sendable () -> [HelpRow],
    run: @escaping @Sendable (ShortcutName, Context) async throws -> Report
  ) -> Command {
    Command(
      word,
      summary,
      discussion: discussion(),
      exitStatuses: exitStatuses,
      members: members(),
      options: OneSchedule(),
      arguments: [
        .positional("name", completion: .names(of: .schedule), \.$name, "The shortcut's name")
      ],
      run: { try await run($0.name, $1) }
    )
  }

  package static let unread = "the cron daemon is not running; the crontab has no effect"

  /// The warnings about unreadable schedules, except the first, which fails the command.
  static func notes(of defects: [any Error]) -> [Report.Note] {
    defects.dropFirst().map { .warning(OppiError($0).message) }
  }
}

extension Schedule.Backend: ArgumentValue {}
extension Schedule.Missed: ArgumentValue {}
extension Schedule.Overlap: ArgumentValue {}

enum ScheduleList {
  struct Options: Sendable, Equatable {
    var isAll = false
  }

  static let command: Command = Command(
    "list",
    "List schedules with next and last runs",
    discussion: """
      A slot that passed without a run is missed, for example because the machine was off. \
      Otherwise the last column is the result of the last slot: a state of 'oppi ask' with the \
      exit status if it is not 0, skipped if the previous run was still active, or interrupted.

      With --all the schedules that paired servers run themselves are listed too, as SERVER/NAME; \
      they can be run, but not changed here. Their next run is shown only if it is certain.

      In a pipe each line has, separated by tabs: name, trigger, time zone, enabled or disabled, \
      next run, last result, its slot, its session and its error; then of the last 50 runs the \
      number that succeeded, the number that ended, the average time in milliseconds and the known \
      cost in dollars. --json includes these runs. Only runs that wait for their turn have a cost.
      """,
    exitStatuses: [0, 69, 75, 76, 77, 78],
    options: Options(),
    arguments: [.flag("all", \.isAll, "Include schedules that paired servers run themselves")],
    run: run
  )
  .listing([ScheduleOutlook.list, ServerScheduleRow.list])

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (own, defects) = try await context.services.readSchedules {
      await ScheduleOutlook(of: $0, in: context.services)
    }
    let answers = options.isAll ? try await serverSchedules(in: context) : []
    let failures = FleetFailures(answers)
    let servers = answers.flatMap { (try? $0.result.get()) ?? [] }
      .sorted { ($0.server.name, $0.schedule.name) < ($1.server.name, $1.schedule.name) }
    let (list, serverList) = (ScheduleOutlook.list, ServerScheduleRow.list)
    let view = ListView(now: context.now())
    let isEmpty = own.isEmpty && servers.isEmpty
    return list.report(
      own,
      in: context,
      others: JSONShape([serverList.member { $0 }]).object(of: servers),
      text: .table { list.table(of: own, view, and: serverList.cells(of: servers, view)) },
      pipe: .table { Table(plain: list.values(of: own) + serverList.values(of: servers)) { $0 } },
      status: isEmpty && defects.isEmpty && failures.errors.isEmpty ? "no schedules" : nil,
      notes: Schedules.notes(of: defects) + failures.notes,
      failure: defects.first.map { OppiError($0) } ?? (answers.isEmpty ? nil : failures.failure)
    )
  }

  private static func serverSchedules(
    in context: Context
  ) async throws -> [Fleet.Answer<[ServerScheduleRow]?>] {
    try await context.services.schedules(of: context.pairedServers())
  }
}

enum ScheduleNext {
  struct Options: Sendable, Equatable {
    var name: ShortcutName?
    var count = 2
  }

  private static let countLimit = 50

  static let command: Command = Command(
    "next",
    "Show the next runs",
    discussion: """
      Times are in the schedule's time zone, followed by the local time if it differs. In a pipe \
      each line has, separated by tabs: name, time in UTC, time in the schedule's time zone, and \
      local time.
      """,
    exitStatuses: [0, 64, 66, 69, 78],
    members: others.rows,
    options: Options(),
    arguments: [
      .option("count", \.count, "Show this many runs of each schedule"),
      .positional(
        "name",
        completion: .names(of: .schedule),
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
  .listing([list])

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let calendar = context.services.calendar
    let now = context.now()
    let (found, defects) = try await context.services.readSchedules(only: options.name) { record in
      let schedule = record.schedule
      let next =
        schedule.isEnabled
        ? try await calendar.next(schedule, after: now, count: options.count) : []
      return ScheduleOutlook(record: record, next: next, now: now)
    }
    return list.report(
      found.flatMap { outlook in (outlook.next ?? []).map { (outlook.record.schedule, $0) } },
      in: context,
      others: others.object(of: found),
      text: .lines(found.flatMap(lines)),
      status: found.isEmpty && defects.isEmpty ? "no schedules" : nil,
      notes: Schedules.notes(of: defects),
      failure: defects.first.map { OppiError($0) }
    )
  }

  private static func lines(of outlook: ScheduleOutlook) -> [StyledText] {
    let (schedule, next) = (outlook.record.schedule, outlook.next ?? [])
    let head = StyledText(schedule.name, .name).with(StyledText(" in \(schedule.zone)", .dim))
    guard schedule.isEnabled else { return [head.with(StyledText(", paused", .dim))] }
    return [head] + (next.isEmpty ? ["  never"] : ScheduleOutlook.lines(of: next))
  }

  private typealias Run = (schedule: Schedule, elapse: CalendarElapses.Elapse)

  private static let list = Listing<Run>(
    "next",
    "The next runs of all schedules",
    JSONShape(
      [
        .text("name", "The shortcut") { $0.schedule.name },
        .text("zone", "The schedule's time zone") { $0.schedule.zone },
      ] + ScheduleOutlook.elapseShape.members { $0.elapse }
    ),
    pipe: ["name", "at", "zoneTime", "localTime"]
  )

  private static let comingShape: JSONShape<ScheduleOutlook> = [
    .text("name", "The shortcut") { $0.record.schedule.name },
    .text("zone", "Its time zone") { $0.record.schedule.zone },
    .bool("enabled", "Whether it is enabled") { $0.record.schedule.isEnabled },
    .list("next", "The next runs", ScheduleOutlook.elapseShape) { $0.next ?? [] },
  ]

  private static let others: JSONShape<[ScheduleOutlook]> = [
    .list("schedules", "The schedules, sorted by name", comingShape) { $0 }
  ]
}
