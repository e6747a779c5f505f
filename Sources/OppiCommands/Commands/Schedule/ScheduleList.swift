// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

enum ScheduleList {
  struct Options: Sendable, Equatable {}

  static let command: Command = Command(
    "list",
    "List schedules with next and last runs",
    discussion: """
      A slot that passed without a run is missed, for example because the machine was off. \
      Otherwise the last column is the result of the last slot: a state of 'oppi ask' with the \
      exit status if it is not 0, skipped if the previous run was still active, or interrupted.

      In a pipe each line has, separated by tabs: name, trigger, time zone, enabled or disabled, \
      next run, last result, its slot, its session and its error. --json includes the last 50 \
      runs.
      """,
    exitStatuses: [0, 69, 78],
    members: shape.rows,
    options: Options(),
    arguments: [],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (found, defects) = try await context.intents.readSchedules {
      await ScheduleOutlook(of: $0, in: context.intents)
    }
    return Report(
      shape.document(of: found),
      .table { ScheduleRow.table(of: found) },
      pipe: .table { ScheduleRow.pipeTable(of: found) },
      status: found.isEmpty && defects.isEmpty ? "no schedules" : nil,
      notes: Schedules.notes(of: defects),
      failure: defects.first.map { OppiError($0) }
    )
  }

  private static let shape: JSONShape<[ScheduleOutlook]> = [
    .list("schedules", "The schedules, sorted by name", ScheduleRow.shape) { $0 }
  ]
}
