// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// A shortcut that a schedule runs, as `oppi run` does.
struct FiredShortcut: ScheduledShortcut {
  let name: ShortcutName
  let isWaiting: Bool
  let isQueueing: Bool
  private let context: Context

  /// A missing or damaged shortcut is reported by the run.
  init(_ name: ShortcutName, in context: Context) {
    let shortcut = try? context.shortcuts.shortcut(name)
    self.name = name
    isWaiting = shortcut?.isWaiting ?? false
    isQueueing = shortcut?.isQueueing ?? false
    self.context = context
  }

  func run(
    under key: OutboxKey?
  ) async throws -> (result: RunResult?, failure: (any Error)?) {
    var options = Run.Options()
    options.key = isQueueing ? key : nil
    let report = try await Run.fire(options, named: name, in: context)
    do {
      try await context.console.print(report)
    } catch is ReaderGone {}
    return (report.result, report.failure)
  }

  func record(of failure: any Error) -> RunFailure {
    let error = OppiError(failure)
    let state =
      switch error.code {
      case .interrupted, .terminated: ScheduleRun.State.interrupted
      case .deliveryUnknown: "unknown"
      default: ScheduleRun.State.failed
      }
    return RunFailure(
      state: state,
      status: Int(error.code.status.rawValue),
      message: error.message,
      sessionID: error.details["sessionId"]?.string
    )
  }

  func notify(of failure: any Error) async {
    let error = OppiError(failure)
    guard error.code != .interrupted else { return }
    await DesktopOutcome(command: "run \(name.text)", context: context.ofLogin).tell(error)
  }
}

extension FiredShortcut {
  func notify(of failure: any Error, endingSeriesOf count: Int, isPaused: Bool) async {
    var error = OppiError(failure)
    let fate =
      isPaused
      ? "the schedule is paused; resume it with: oppi schedule resume \(name.text)"
      : "further failures are not shown until a run succeeds; see: oppi schedule list"
    error.message = "\(count) runs in a row have failed: \(error.message)"
    error.hints = [fate]
    await DesktopOutcome(command: "run \(name.text)", context: context.ofLogin).tell(error)
  }

  /// Runs the due slot of its schedule.
  func runScheduled() async throws -> Report {
    switch try await ScheduledRun(self, in: context.intents).run() {
    case .disabled: return .step(status: StyledText("the schedule of \(name.text) is disabled"))
    case .notDue: return .step(status: StyledText("no run of \(name.text) is due"))
    case .tooLate(let slot):
      return .step(
        status: StyledText("the run of \(slot.iso8601) is too late and counts as missed")
      )
    case .done(let failure): return .end(failure: failure.map { OppiError($0) })
    }
  }
}
