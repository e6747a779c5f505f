// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiSystem
import OppiText

/// A shortcut that a schedule runs, as `oppi run` does.
package struct FiredShortcut {
  /// The result of a run, and why it failed; both may be `nil`.
  typealias Ending = (result: RunResult?, failure: OppiError?)

  let name: ShortcutName
  /// Whether a run lasts until the end of its turn, so that its lock marks it as active.
  let isWaiting: Bool
  /// Whether an undelivered prompt is queued.
  let isQueueing: Bool
  private let context: Context

  var services: Services { context.services }
  var store: ScheduleStore { services.schedules }

  /// A missing or damaged shortcut is reported by the run.
  package init(_ name: ShortcutName, in context: Context) {
    let shortcut = try? context.shortcuts.shortcut(name)
    self.name = name
    isWaiting = shortcut?.isWaiting ?? false
    isQueueing = shortcut?.isQueueing ?? false
    self.context = context
  }

  /// Runs the shortcut, with a key for a prompt that goes through the outbox, and prints its report.
  ///
  /// - Throws: Why the run failed without a result.
  func run(under key: OutboxKey?) async throws -> Ending {
    var options = Run.Options()
    options.key = isQueueing ? key : nil
    let report = try await Run.fire(options, named: name, in: context)
    do {
      try await context.output.print(report)
    } catch is OutputClosed {}
    return (report.result, report.failure)
  }

  /// Runs and records the shortcut now, outside its slots; returns why the run failed, or `nil` if
  /// it succeeded.
  ///
  /// - Throws: `OppiError` if another run is active, or there is no schedule; `FileError`.
  package func runNow() async throws -> OppiError? {
    _ = try services.existingSchedule(of: name)
    return try await store.whileRunning(name.text, recordedRun) {
      throw OppiError(.locked, "a run of \(name.text) is still active", hints: ["retry later"])
    }
  }

  private func recordedRun() async throws -> OppiError? {
    let now = services.now()
    try await store.update(name.text) { record throws(FileError) in
      record?.endInterrupted()
      _ = record?.claim(nil, at: now)
    }
    return try await recording(nil, startedAt: now) { try await run(under: nil) }
  }

  /// Records how the run of a slot ends, `nil` for a manual run, including an error that it throws.
  ///
  /// Returns why the run failed; `nil` if it succeeded.
  ///
  /// - Throws: `FileError` if the end cannot be recorded.
  func recording(
    _ slot: Timestamp?,
    startedAt: Timestamp,
    _ run: () async throws -> Ending
  ) async throws(FileError) -> OppiError? {
    let (result, failure): Ending
    do {
      (result, failure) = try await run()
    } catch {
      (result, failure) = (nil, OppiError(error))
    }
    let now = services.now()
    try await store.update(name.text) { record throws(FileError) in
      record?.finish(slot, startedAt: startedAt) { run in
        run.endedAt = now
        run.state = result?.state ?? failure.map(Self.state) ?? "done"
        run.sessionID = result?.sessionID ?? failure?.details["sessionId"]?.string
        run.workspace = result?.workspace
        run.cost = result?.cost
        run.status = failure.map { Int($0.code.status.rawValue) } ?? 0
        run.error = failure?.message.safeLine(limit: 400)
      }
    }
    return failure
  }

  private static func state(after failure: OppiError) -> String {
    switch failure.code {
    case .interrupted, .terminated: ScheduleRun.State.interrupted
    case .deliveryUnknown: "unknown"
    default: ScheduleRun.State.failed
    }
  }

  // MARK: - Failures

  /// Shows a failure on the desktop, unless the user interrupted the run.
  func notify(of failure: OppiError) async {
    if failure.code != .interrupted { await notify(failure) }
  }

  private func notify(_ failure: OppiError) async {
    await DesktopOutcome(command: "run \(name.text)", context: context.ofLogin).notify(failure)
  }

  /// Reports a recorded failure: each of the first ones of a series, then the series, once; disables
  /// the schedule if it is to be paused.
  ///
  /// - Throws: `OppiError`, `ToolError` or `FileError` if it cannot be disabled.
  func report(_ failure: OppiError) async throws {
    guard let record = try store.load(name.text) else { return }
    let count = record.health.failuresInARow
    guard count >= ScheduleHealth.seriesLength else { return await notify(of: failure) }
    let isPausing = record.schedule.pausesOnFailure && record.schedule.isEnabled
    guard isPausing || !record.isSeriesReported else { return }
    try await store.update(name.text) { record throws(FileError) in
      record?.isSeriesReported = true
    }
    var series = failure
    series.message = "\(count) runs in a row have failed: \(failure.message)"
    series.hints = ["further failures are not shown until a run succeeds; see: oppi schedule list"]
    do {
      if isPausing {
        _ = try await services.disableSchedule(name)
        series.hints = [
          "the schedule is paused; resume it with: oppi schedule resume \(name.text)"
        ]
      }
    } catch {
      await notify(series)
      throw error
    }
    await notify(series)
  }
}
