// SPDX-License-Identifier: MIT

package import OppiModel
import OppiSystem

/// Resumes, pauses and removes the schedule of a shortcut.
package struct SwitchSchedule: Sendable {
  private let name: ShortcutName
  private let context: IntentContext

  private var store: ScheduleStore { context.schedules }

  package init(_ name: ShortcutName, in context: IntentContext) {
    (self.name, self.context) = (name, context)
  }

  /// Resumes the schedule; runs that were due while it was paused were not missed.
  ///
  /// - Returns: The schedule with its next two runs.
  /// - Throws: `SchedulingError`, `SchedulerError` or `FileError`; the schedule is as it was then.
  package func enable() async throws -> ScheduleOutlook {
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

  /// Pauses the schedule; an active run is not stopped.
  ///
  /// - Throws: As ``enable()``.
  package func disable() async throws -> ScheduleOutlook {
    let schedule = try store.existing(name).schedule
    try await disabling(schedule) {
      switch schedule.backend {
      case .systemd: try await SystemdTimers(context: context).disable(name.text)
      case .cron: try await CrontabSchedules(context: context).update()
      }
    }
    return ScheduleOutlook(try store.existing(name), at: context.now())
  }

  /// Removes the schedule with the record of its runs; a damaged record is warned of and removed.
  ///
  /// - Returns: The paths of units that stay, since they were changed.
  /// - Throws: As ``enable()``.
  package func remove() async throws -> [String] {
    let left = try await clear()
    try await store.remove(name.text)
    return left
  }

  private func clear() async throws -> [String] {
    let schedule: Schedule
    do {
      schedule = try store.existing(name).schedule
    } catch let error as FileError {
      await context.reporter.warn(context.reporter.reason(of: error).message)
      if context.programs.has("crontab") {
        try await CrontabSchedules(context: context).update(without: name)
      }
      return try await SystemdTimers(context: context).remove(name.text)
    }
    return try await disabling(schedule) { try await context.uninstall(schedule) }
  }

  /// Disables a schedule while the body removes it from its backend, so that a run that is started
  /// nevertheless finds it disabled; if the body fails, the schedule is as it was.
  private func disabling<Result>(
    _ schedule: Schedule,
    _ body: () async throws -> Result
  ) async throws -> Result {
    try await store.update(schedule.name) { record throws(FileError) in
      record?.schedule.isEnabled = false
    }
    do {
      return try await body()
    } catch {
      await restore(schedule)
      throw error
    }
  }

  /// Enables or disables the schedule as it was before.
  private func restore(_ schedule: Schedule) async {
    await context.restoring(schedule.name) {
      try await store.update(schedule.name) { record throws(FileError) in
        record?.schedule.isEnabled = schedule.isEnabled
      }
    }
  }
}
