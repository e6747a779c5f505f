// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi schedule list`.
enum ScheduleList {
  struct Options: Sendable, Equatable {}

  static let command: Command = Command(
    "list",
    "List the schedules, with what comes and what became of it",
    discussion: """
      A slot that passed without a run is missed: the machine was off, or nobody watched the clock. \
      The last column has what became of the last slot otherwise: a state of 'oppi ask' with the exit \
      status where that is not 0, skipped where the run before still went on, missed, or interrupted.

      In a pipe each line has, with tabs between them: name, trigger, zone, enabled or disabled, the \
      next run, the last outcome, its slot, its session and its error. --json has the last 50 runs.
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
    .list("schedules", "The schedules, by their names", ScheduleRow.shape) { $0 }
  ]
}
