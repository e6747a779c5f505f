// SPDX-License-Identifier: MIT

import OppiModel

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
