// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// `oppi schedule run`.
enum ScheduleRunNow {
  static let command: Command = Schedules.verb(
    "run",
    "Run a scheduled shortcut now, and write it down",
    discussion: """
      As 'oppi run' would, beside the slots of the schedule: the next of them comes as ever. Where a \
      run of a shortcut that waits for its turn goes on already it is refused.
      """,
    exitStatuses: [0, 1, 3, 4, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124],
    members: AskStanding.shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let store = context.schedules
    _ = try store.existing(name)
    do {
      let failure = try await store.whileRunning(name.text, patience: .zero) {
        () throws(FileError) in
        await Result(catching: { try await fire(name, in: context) })
      }.get()
      return .end(failure: failure)
    } catch FileError.lockHeld {
      throw OppiError(.locked, "a run of \(name.text) goes on already", hints: ["try again later"])
    }
  }

  private static func fire(
    _ name: ShortcutName,
    in context: Context
  ) async throws -> OppiError? {
    let now = context.now()
    try await context.schedules.update(name.text) { record throws(FileError) in
      record?.endInterrupted()
      _ = record?.claim(nil, at: now)
    }
    let log = ScheduleLog(name: name, slot: nil, startedAt: now, context: context)
    return try await log.writing(
      try await context.printing { try await Run.fire(Run.Options(), named: name, in: context) }
    )
  }
}
