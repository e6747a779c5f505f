// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

struct SwitchSchedule: Sendable {
  private let name: ShortcutName
  private let context: IntentContext

  private var store: ScheduleStore { context.schedules }

  init(_ name: ShortcutName, in context: IntentContext) {
    (self.name, self.context) = (name, context)
  }

  /// Resumes the schedule, and returns its next two runs; runs during the pause do not count as
  /// missed.
  ///
  /// - Throws: `SchedulingError`, `SchedulerError` or `FileError`; the schedule is unchanged then.
  func enable() async throws -> ScheduleOutlook {
    let before = try store.existing(name).schedule
    try await context.prepare(before)
    let now = context.now()
    try await store.update(name.text) { record throws(FileError) in
      if record?.schedule.isEnabled == false { record?.enable(at: now) }
    }
    do {
      try await context.install(before)
    } catch {
      await restore(before)
      throw error
    }
    return await ScheduleOutlook(of: try store.existing(name), count: 2, in: context)
  }

  /// Pauses the schedule; an active run continues.
  ///
  /// - Parameter withAll: Whether it is paused together with all others, and resumed with them.
  /// - Returns: The paused schedule.
  /// - Throws: As ``enable()``.
  func disable(withAll: Bool = false) async throws -> ScheduleOutlook {
    let schedule = try store.existing(name).schedule
    try await disabling(schedule, withAll: withAll) {
      switch schedule.backend {
      case .systemd: try await SystemdTimers(context: context).disable(name.text)
      case .cron: try await CrontabSchedules(context: context).update()
      }
    }
    return ScheduleOutlook(try store.existing(name), at: context.now())
  }

  /// Removes the schedule and the record of its runs; warns of a damaged record and removes it.
  ///
  /// Returns the paths of units that were changed by hand and stay.
  ///
  /// - Throws: As ``enable()``.
  func remove() async throws -> [String] {
    let left = try await clear()
    try await store.remove(name.text)
    return left
  }

  private func clear() async throws -> [String] {
    let schedule: Schedule
    do {
      schedule = try store.existing(name).schedule
    } catch let error as FileError {
      if case .newerVersion = error { throw error }
      await context.reporter.warn(context.reporter.reason(of: error).message)
      if context.programs.has("crontab") {
        try await CrontabSchedules(context: context).update(without: name)
      }
      return try await SystemdTimers(context: context).remove(name.text)
    }
    return try await disabling(schedule) { try await context.uninstall(schedule) }
  }

  /// Disables a schedule while the body removes it from its backend, so that a run that still
  /// starts finds it disabled; restores it if the body fails.
  private func disabling<Result>(
    _ schedule: Schedule,
    withAll: Bool = false,
    _ body: () async throws -> Result
  ) async throws -> Result {
    try await store.update(schedule.name) { record throws(FileError) in
      record?.schedule.isEnabled = false
      record?.schedule.isPausedWithAll = withAll
    }
    do {
      return try await body()
    } catch {
      await restore(schedule)
      throw error
    }
  }

  /// Restores whether the schedule is enabled.
  private func restore(_ schedule: Schedule) async {
    await context.restoring(schedule.name) {
      try await store.update(schedule.name) { record throws(FileError) in
        record?.schedule.isEnabled = schedule.isEnabled
        record?.schedule.isPausedWithAll = schedule.isPausedWithAll
      }
    }
  }
}
