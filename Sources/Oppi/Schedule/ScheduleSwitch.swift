// SPDX-License-Identifier: MIT

import CommandTable
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
    try await SwitchSchedule(name, in: context.intents).enable().report(as: "enabled")
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
    try await SwitchSchedule(name, in: context.intents).disable().report(as: "disabled")
  }
}

extension ScheduleOutlook {
  fileprivate func report(as word: String) -> Report {
    let name = record.schedule.name
    return Report(
      ScheduleRow.shape.document(of: self),
      status: StyledText("\(word) \(name)"),
      notes: next?.isEmpty == true ? [.warning("\(name) has no further runs")] : []
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
    .text("name", "The shortcut whose schedule was removed") { $0.text }
  ]
}
