// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Reports the failures of a schedule: each of the first ones, then the series, once.
struct FailureSeries {
  private let shortcut: any ScheduledShortcut
  private let context: IntentContext

  init(of shortcut: any ScheduledShortcut, in context: IntentContext) {
    (self.shortcut, self.context) = (shortcut, context)
  }

  /// Reports a failure that is recorded, and disables the schedule if it is to be paused.
  ///
  /// - Throws: `SchedulingError`, `SchedulerError` or `FileError` if it cannot be disabled.
  func report(_ failure: any Error) async throws {
    guard let record = try context.schedules.load(shortcut.name.text) else { return }
    let count = record.health.failuresInARow
    guard count >= ScheduleHealth.seriesLength else { return await shortcut.notify(of: failure) }
    let isPausing = record.schedule.pausesOnFailure && record.schedule.isEnabled
    guard isPausing || !record.isSeriesReported else { return }
    try await context.schedules.update(shortcut.name.text) { record throws(FileError) in
      record?.isSeriesReported = true
    }
    do {
      if isPausing { _ = try await SwitchSchedule(shortcut.name, in: context).disable() }
    } catch {
      await shortcut.notify(of: failure, endingSeriesOf: count, isPaused: false)
      throw error
    }
    await shortcut.notify(of: failure, endingSeriesOf: count, isPaused: isPausing)
  }
}
