// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// `oppi schedule`: runs shortcuts on a schedule.
enum Schedules {
  static let command: Command = Command(
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
      ScheduleList.command, ScheduleAdd.command, ScheduleNext.command, ScheduleRunNow.command,
      ScheduleEnable.command, ScheduleDisable.command, SchedulePause.pause, SchedulePause.resume,
      ScheduleRemove.command,
    ]
  )

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
      positional: RequiredPositional<ShortcutName>(
        "name",
        completion: .dynamic("schedule"),
        "The shortcut's name"
      ),
      run: run
    )
  }

  static let unread = "the cron daemon is not running; the crontab has no effect"

  /// The warnings about unreadable schedules, except the first, which fails the command.
  static func notes(of defects: [any Error]) -> [Report.Note] {
    defects.dropFirst().map { .warning(OppiError($0).message) }
  }
}

extension Schedule.Backend: ArgumentValue {}
extension Schedule.Missed: ArgumentValue {}
extension Schedule.Overlap: ArgumentValue {}
