// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ScheduleRunNow {
  struct Options: Sendable, Equatable {
    @Required var name: ScheduleReference
  }

  static let command: Command = Command(
    "run",
    "Run a scheduled shortcut or a server's schedule now",
    discussion: """
      Runs the shortcut like 'oppi run' and records the run; the scheduled slots are not \
      affected. Fails if a run of a shortcut that waits for its turn is still active.

      SERVER/NAME runs a schedule of a server, from 'oppi schedule list --all', by its name or id. \
      The server hands over the prompt; its turn is not awaited. If the server's answer is lost, \
      the status is 6, and a repeat of the command finds the same run instead of starting another.
      """,
    exitStatuses: [0, 1, 3, 4, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124, 130, 143],
    members: AskResult.shape.rows
      + ServerRunRow.shape.rows.filter { row in
        !AskResult.shape.rows.contains { $0.term == row.term }
      },
    options: Options(),
    arguments: [
      .positional(
        "name",
        completion: .dynamic("schedule"),
        \.$name,
        "The shortcut's name, or SERVER/NAME"
      )
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    switch options.name {
    case .shortcut(let name):
      let run = RunScheduleNow(FiredShortcut(name, in: context), in: context.intents)
      return .end(failure: try await run.run().map { OppiError($0) })
    case .server(let name, let schedule):
      let server = try context.serverStore.load().servers.named(name)
      return report(
        try await RunServerSchedule(in: context.intents).run(schedule, on: server)
      )
    }
  }

  private static func report(_ outcome: RunServerSchedule.Outcome) -> Report {
    let name = "\(outcome.server.name)/\(outcome.schedule.name)"
    let again = "the run of \(name) had started, although its answer was lost"
    return Report(
      ServerRunRow.shape.document(of: outcome),
      outcome.run.sessionID.map { .text("\(outcome.server.name)/\($0)") } ?? .nothing,
      status: StyledText(outcome.isRepeat ? again : "\(outcome.server.name) runs \(name)"),
      notes: outcome.isRepeat ? [.hint("for another run, repeat the command")] : []
    )
  }
}

/// The JSON of a run of a server's schedule.
enum ServerRunRow {
  static let shape: JSONShape<RunServerSchedule.Outcome> = [
    .member("state", "accepted: the server has handed over the prompt") { _ in "accepted" },
    .text("runId", "The run's id") { $0.run.id },
    .text("scheduleId", "The schedule's id") { $0.schedule.id },
    .text("schedule", "The schedule's name") { $0.schedule.name },
    .bool("repeated", "Whether an earlier command requested the run, and got no answer") {
      $0.isRepeat
    },
    .text("sessionId", "The session of the run, or null") { $0.run.sessionID },
    .server { $0.server },
  ]
}

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
      try await context.output.print(report)
    } catch is OutputClosed {}
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
