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
  /// - Throws: `OppiError` if another run is active, or there is no schedule; `FileError`.
  func run() async throws -> (any Error)? {
    _ = try context.schedules.existing(shortcut.name)
    do {
      return try await context.schedules.whileRunning(shortcut.name.text, lockTimeout: .zero) {
        () throws(FileError) in await Result(catching: fire)
      }.get()
    } catch FileError.lockHeld {
      throw OppiError(
        .locked,
        "a run of \(shortcut.name.text) is still active",
        hints: ["retry later"]
      )
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

/// The result of a shortcut's run.
struct RunResult: Sendable, Equatable {
  /// A state of `ask --json`, or of ``ScheduleRun/State``.
  let state: String
  var sessionID: String?
  var workspace: WorkspaceReference?
  /// The cost of the turn, if known.
  var cost: Dollars?
}

extension RunResult {
  /// The result of a chain: that of the next run, unless it was skipped, with the cost of both.
  func followed(by next: RunResult?) -> RunResult {
    guard let next, next.state != ScheduleRun.State.skipped else { return self }
    let costs = [cost, next.cost].compactMap(\.self)
    return RunResult(
      state: next.state,
      sessionID: next.sessionID ?? sessionID,
      workspace: next.workspace ?? workspace,
      cost: costs.isEmpty ? nil : costs.reduce(.zero, +)
    )
  }
}

/// A failed run, as a schedule's record stores it.
struct RunFailure: Sendable, Equatable {
  /// `failed`, `interrupted` or `unknown`.
  let state: String
  /// The exit status.
  let status: Int
  /// One line.
  let message: String
  /// The session that may have the prompt.
  let sessionID: String?
}

/// A shortcut that a schedule runs.
protocol ScheduledShortcut: Sendable {
  var name: ShortcutName { get }
  /// Whether a run lasts until the end of its turn, so that its lock marks it as active.
  var isWaiting: Bool { get }
  /// Whether an undelivered prompt is queued.
  var isQueueing: Bool { get }

  /// Runs the shortcut, and prints its report.
  ///
  /// - Parameter key: The prompt's key if it goes through the outbox.
  /// - Returns: The result, and why the run failed; both may be `nil`.
  /// - Throws: Why the run failed without a result.
  func run(under key: OutboxKey?) async throws -> (result: RunResult?, failure: (any Error)?)

  func record(of failure: any Error) -> RunFailure

  /// Shows a failure on the desktop, unless the user interrupted the run.
  func notify(of failure: any Error) async

  /// Shows a series of failures on the desktop, and whether the schedule was paused because of it.
  func notify(of failure: any Error, endingSeriesOf count: Int, isPaused: Bool) async
}

/// Reports the failures of a schedule: each of the first ones, then the series, once.
struct FailureSeries {
  private let shortcut: any ScheduledShortcut
  private let context: IntentContext

  init(of shortcut: any ScheduledShortcut, in context: IntentContext) {
    (self.shortcut, self.context) = (shortcut, context)
  }

  /// Reports a failure that is recorded, and disables the schedule if it is to be paused.
  ///
  /// - Throws: `OppiError`, `ToolError` or `FileError` if it cannot be disabled.
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
