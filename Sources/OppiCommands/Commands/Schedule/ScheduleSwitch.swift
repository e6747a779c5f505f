// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

enum ScheduleEnable {
  static let command: Command = Schedules.verb(
    "enable",
    "Resume a schedule",
    discussion: "Slots that passed while it was disabled do not count as missed.",
    exitStatuses: [0, 64, 66, 69, 74, 78],
    members: ScheduleRow.shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let outlook = try await SwitchSchedule(name, in: context.intents).enable()
    return Report(
      ScheduleRow.shape.document(of: outlook),
      status: StyledText("enabled \(name.text)"),
      notes: outlook.next?.isEmpty == true ? [.warning("\(name.text) has no further runs")] : []
    )
  }
}

enum ScheduleDisable {
  static let command: Command = Schedules.verb(
    "disable",
    "Pause a schedule",
    discussion: "An active run is not stopped.",
    exitStatuses: [0, 64, 66, 69, 74, 78],
    members: ScheduleRow.shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let outlook = try await SwitchSchedule(name, in: context.intents).disable()
    return Report(
      ScheduleRow.shape.document(of: outlook),
      status: StyledText("disabled \(name.text)")
    )
  }
}

enum ScheduleRemove {
  static let command: Command = Schedules.verb(
    "remove",
    "Remove a schedule, but keep the shortcut",
    discussion: """
      The records of its runs are also removed. An active run is not stopped. A unit that was \
      changed after oppi wrote it is not removed, and is listed.
      """,
    exitStatuses: [0, 64, 66, 69, 73, 74, 78],
    members: shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let left = try await SwitchSchedule(name, in: context.intents).remove()
    return Report(
      shape.document(of: name),
      status: StyledText("removed the schedule of \(name.text)"),
      notes: left.map { .warning("\($0) was changed after oppi wrote it; not modified") }
    )
  }

  private static let shape: JSONShape<ShortcutName> = [
    .member("name", "The shortcut whose schedule was removed") { .string($0.text) }
  ]
}
