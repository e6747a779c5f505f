// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// `oppi schedule`: shortcuts that run by themselves.
enum Schedules {
  static let command: Command = Command(
    "schedule",
    "Run shortcuts at set times, by systemd or cron",
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [
      ScheduleList.command, ScheduleAdd.command, ScheduleNext.command, ScheduleRunNow.command,
      ScheduleEnable.command, ScheduleDisable.command, ScheduleRemove.command,
    ]
  )

  private struct Options: Sendable, Equatable {
    var name: ShortcutName?
  }

  /// Declares a verb that is about the schedule of one shortcut.
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
      options: Options(),
      arguments: [
        .positional(
          "name",
          required: true,
          completion: .dynamic("schedule"),
          \.name,
          "The shortcut's name"
        )
      ],
      run: { options, context in
        guard let name = options.name else { throw UsageError(.missingPositional("NAME")) }
        return try await run(name, context)
      }
    )
  }
}

extension Schedule.Backend: ArgumentValue {}
extension Schedule.Missed: ArgumentValue {}
extension Schedule.Overlap: ArgumentValue {}

extension Context {
  /// Throws where whoever watches the clock would not take a schedule; nothing is changed.
  func prepare(_ schedule: Schedule) async throws {
    switch schedule.backend {
    case .systemd: try await SystemdTimers(context: self).prepare(try units(of: schedule))
    case .cron: try await UserCrontab(context: self).check()
    }
  }

  /// Has whoever watches the clock do what a schedule says.
  func install(_ schedule: Schedule) async throws {
    switch schedule.backend {
    case .systemd: try await SystemdTimers(context: self).install(try units(of: schedule))
    case .cron: try await UserCrontab(context: self).update()
    }
  }

  /// The units of a schedule, for systemd.
  func units(of schedule: Schedule) throws -> ScheduleUnits {
    ScheduleUnits(schedule: schedule, command: try ScheduledCommand(in: self))
  }
}
