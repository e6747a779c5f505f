// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ScheduleList {
  struct Options: Sendable, Equatable {
    var isAll = false
  }

  /// The schedules of shortcuts, and those of servers.
  private struct Listed {
    var own: [ScheduleOutlook]
    var servers: [ServerScheduleRow] = []

    var ownRows: [ScheduleRow] { own.map(ScheduleRow.init) }
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
    members: shape.rows,
    options: Options(),
    arguments: [.flag("all", \.isAll, "Include schedules that paired servers run themselves")],
    run: run
  )
  .listing("schedule", "serverSchedules")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (found, defects) = try await context.intents.readSchedules {
      await ScheduleOutlook(of: $0, in: context.intents)
    }
    let answers = options.isAll ? try await serverSchedules(in: context) : []
    let failures = FleetFailures(answers)
    let listed = Listed(own: found, servers: rows(of: answers))
    let isEmpty = found.isEmpty && listed.servers.isEmpty
    return Report(
      shape.document(of: listed),
      .table {
        Table(
          listed.ownRows.map(\.cells) + listed.servers.map(\.cells),
          roles: ScheduleRow.roles,
          headers: ["NAME", "TRIGGER", "ZONE", "NEXT RUN", "LAST RUN", "HEALTH"]
        )
      },
      pipe: .table {
        Table(plain: listed.ownRows.map(\.pipeCells) + listed.servers.map(\.pipeCells)) { $0 }
      },
      status: isEmpty && defects.isEmpty && failures.errors.isEmpty ? "no schedules" : nil,
      notes: Schedules.notes(of: defects) + failures.notes,
      failure: defects.first.map { OppiError($0) } ?? (answers.isEmpty ? nil : failures.failure)
    )
  }

  private static func serverSchedules(
    in context: Context
  ) async throws -> [Fleet.Answer<[ServerSchedules.Row]?>] {
    let servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    return try await ServerSchedules(in: context.intents).answers(of: servers)
  }

  private static func rows(
    of answers: [Fleet.Answer<[ServerSchedules.Row]?>]
  ) -> [ServerScheduleRow] {
    answers.flatMap { (try? $0.result.get()) ?? [] }.map(ServerScheduleRow.init)
      .sorted {
        ($0.row.server.name, $0.row.schedule.name) < ($1.row.server.name, $1.row.schedule.name)
      }
  }

  private static let shape: JSONShape<Listed> = [
    .list(
      "schedule",
      formerly: "schedules",
      "The schedules of shortcuts, sorted by name",
      ScheduleRow.shape
    ) { $0.own },
    .list(
      "serverSchedules",
      "With --all: the schedules that servers run themselves",
      ServerScheduleRow.shape
    ) { $0.servers },
  ]
}
