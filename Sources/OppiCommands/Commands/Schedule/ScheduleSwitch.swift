// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi schedule enable`.
enum ScheduleEnable {
  static let command: Command = Schedules.verb(
    "enable",
    "Have a schedule watched for again",
    discussion: "What passed while it was disabled was not missed.",
    exitStatuses: [0, 64, 66, 69, 74, 78],
    members: ScheduleRow.shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let store = context.schedules
    let before = try store.existing(name).schedule
    try await context.prepare(before)
    let now = context.now()
    try await store.update(name.text) { record throws(FileError) in
      if record?.schedule.isEnabled == false { record?.enable(at: now) }
    }
    do {
      try await context.install(before)
    } catch {
      await context.restoring(name.text) {
        try await store.update(name.text) { record throws(FileError) in
          record?.schedule.isEnabled = before.isEnabled
        }
      }
      throw error
    }
    let row = await ScheduleRow.make(of: try store.existing(name), count: 2, in: context)
    return Report(
      row.document,
      status: StyledText("enabled \(name.text)"),
      notes: row.next?.isEmpty == true ? [.warning("\(name.text) never comes again")] : []
    )
  }
}

/// `oppi schedule disable`.
enum ScheduleDisable {
  static let command: Command = Schedules.verb(
    "disable",
    "Keep a schedule, but have nobody watch for it",
    discussion: "A run that goes on is not stopped.",
    exitStatuses: [0, 64, 66, 69, 74, 78],
    members: ScheduleRow.shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let store = context.schedules
    let schedule = try store.existing(name).schedule
    try await context.disabling(schedule) {
      switch schedule.backend {
      case .systemd: try await SystemdTimers(context: context).disable(name.text)
      case .cron: try await UserCrontab(context: context).update()
      }
    }
    let row = ScheduleRow(record: try store.existing(name), now: context.now())
    return Report(row.document, status: StyledText("disabled \(name.text)"))
  }
}

/// `oppi schedule remove`.
enum ScheduleRemove {
  static let command: Command = Schedules.verb(
    "remove",
    "Remove a schedule; the shortcut stays",
    discussion: """
      What became of its runs is forgotten, too. A run that goes on is not stopped. A unit that you have \
      changed since it was written stays, and is named.
      """,
    exitStatuses: [0, 64, 66, 69, 73, 74, 78],
    members: shape.rows,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let left = try await clear(name, in: context)
    try await context.schedules.remove(name.text)
    return Report(
      shape.document(of: name),
      status: StyledText("removed the schedule of \(name.text)"),
      notes: left.map { .warning("\($0) was changed since oppi wrote it, and is left alone") }
    )
  }

  /// Has nobody watch for it; returns the files that stay.
  private static func clear(_ name: ShortcutName, in context: Context) async throws -> [String] {
    let store = context.schedules
    let schedule: Schedule
    do {
      schedule = try store.existing(name).schedule
    } catch let error as FileError {
      // A damaged one is removed, too, whoever watches for it.
      await context.console.warn(OppiError(error).message)
      if context.programs.has("crontab") {
        try await UserCrontab(context: context).update(without: name)
      }
      return try await SystemdTimers(context: context).remove(name.text)
    }
    return try await context.disabling(schedule) { try await context.uninstall(schedule) }
  }

  private static let shape: JSONShape<ShortcutName> = [
    .member("name", "The shortcut that has no schedule any more") { .string($0.text) }
  ]
}

extension Context {
  /// Puts back a part of a schedule after a failure, and warns where that fails, too.
  func restoring(_ name: String, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      await console.warn("could not restore the schedule \(name): \(OppiError(error).message)")
    }
  }

  /// Disables a schedule while nobody is to watch for it any more, so that whoever fires it all the
  /// same finds it disabled; where that fails it is as it was, and goes on.
  fileprivate func disabling<Result>(
    _ schedule: Schedule,
    _ body: () async throws -> Result
  ) async throws -> Result {
    try await intents.schedules.update(schedule.name) { record throws(FileError) in
      record?.schedule.isEnabled = false
    }
    do {
      return try await body()
    } catch {
      await restoring(schedule.name) {
        try await intents.schedules.update(schedule.name) { record throws(FileError) in
          record?.schedule.isEnabled = schedule.isEnabled
        }
      }
      throw error
    }
  }

  /// Has nobody watch for a schedule any more, which is disabled or about to be replaced.
  ///
  /// - Returns: The files that stay, since somebody has changed them.
  @discardableResult
  func uninstall(_ schedule: Schedule) async throws -> [String] {
    switch schedule.backend {
    case .systemd: return try await SystemdTimers(context: self).remove(schedule.name)
    case .cron:
      try await UserCrontab(context: self).update()
      return []
    }
  }
}
