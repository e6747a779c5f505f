// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

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
      + serverRun.rows.filter { row in
        !AskResult.shape.rows.contains { $0.term == row.term }
      },
    options: Options(),
    arguments: [
      .positional(
        "name",
        completion: .names(of: .schedule),
        \.$name,
        "The shortcut's name, or SERVER/NAME"
      )
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    switch options.name {
    case .shortcut(let name):
      return .end(failure: try await FiredShortcut(name, in: context).runNow())
    case .server(let name, let schedule):
      let server = try context.serverStore.load().servers.named(name)
      return report(
        try await RunServerSchedule(context: context.services).run(schedule, on: server)
      )
    }
  }

  private static func report(_ outcome: RunServerSchedule.Outcome) -> Report {
    let name = outcome.server.qualified(outcome.schedule.name)
    let again = "the run of \(name) had started, although its answer was lost"
    return Report(
      serverRun.document(of: outcome),
      outcome.run.sessionID.map { .text(outcome.server.qualified($0)) } ?? .nothing,
      status: StyledText(outcome.isRepeat ? again : "\(outcome.server.name) runs \(name)"),
      notes: outcome.isRepeat ? [.hint("for another run, repeat the command")] : []
    )
  }

  private static let serverRun: JSONShape<RunServerSchedule.Outcome> = [
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
