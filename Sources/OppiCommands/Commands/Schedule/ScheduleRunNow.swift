// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

enum ScheduleRunNow {
  static let command: Command = Schedules.verb(
    "run",
    "Run a scheduled shortcut now",
    discussion: """
      Runs the shortcut like 'oppi run' and records the run; the scheduled slots are not \
      affected. Fails if a run of a shortcut that waits for its turn is still active.
      """,
    exitStatuses: [0, 1, 3, 4, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124],
    members: AskStanding.shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let run = RunScheduleNow(FiredShortcut(name, in: context), in: context.intents)
    return .end(failure: try await run.run().map { OppiError($0) })
  }
}
