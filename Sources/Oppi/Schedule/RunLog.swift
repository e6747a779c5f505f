// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Records the end of one run of a schedule.
struct RunLog {
  let shortcut: any ScheduledShortcut
  /// `nil` for a manual run.
  let slot: Timestamp?
  let startedAt: Timestamp
  let context: IntentContext

  /// Records how the body ends, including an error that it throws.
  ///
  /// Returns why the run failed; `nil` if it succeeded.
  ///
  /// - Throws: `FileError` if the end cannot be recorded.
  func recording(
    _ run: () async throws -> (result: RunResult?, failure: (any Error)?)
  ) async throws -> (any Error)? {
    let (result, failure): (RunResult?, (any Error)?)
    do {
      (result, failure) = try await run()
    } catch {
      (result, failure) = (nil, error)
    }
    try await end(result, failure.map(shortcut.record))
    return failure
  }

  private func end(_ result: RunResult?, _ failure: RunFailure?) async throws(FileError) {
    let now = context.now()
    try await context.schedules.update(shortcut.name.text) { record throws(FileError) in
      record?.finish(slot, startedAt: startedAt) { run in
        run.endedAt = now
        run.state = result?.state ?? failure?.state ?? "done"
        run.sessionID = result?.sessionID ?? failure?.sessionID
        run.workspace = result?.workspace
        run.cost = result?.cost
        run.status = failure?.status ?? 0
        run.error = failure?.message.safeLine(limit: 400)
      }
    }
  }
}

/// Runs a scheduled shortcut now, outside its slots.
struct RunScheduleNow: Sendable {
  private let shortcut: any ScheduledShortcut
  private let context: IntentContext

  init(_ shortcut: any ScheduledShortcut, in context: IntentContext) {
    (self.shortcut, self.context) = (shortcut, context)
  }

  /// Runs and records the shortcut; returns why the run failed, or `nil` if it succeeded.
  ///
  /// - Throws: `SchedulingError.stillRunning` if another run is active;
  ///   `SchedulingError.noSchedule`; `FileError`.
  func run() async throws -> (any Error)? {
    _ = try context.schedules.existing(shortcut.name)
    do {
      return try await context.schedules.whileRunning(shortcut.name.text, patience: .zero) {
        () throws(FileError) in await Result(catching: fire)
      }.get()
    } catch FileError.lockHeld {
      throw SchedulingError.stillRunning(shortcut.name)
    }
  }

  private func fire() async throws -> (any Error)? {
    let now = context.now()
    try await context.schedules.update(shortcut.name.text) { record throws(FileError) in
      record?.endInterrupted()
      _ = record?.claim(nil, at: now)
    }
    let log = RunLog(shortcut: shortcut, slot: nil, startedAt: now, context: context)
    return try await log.recording { try await shortcut.run(under: nil) }
  }
}
