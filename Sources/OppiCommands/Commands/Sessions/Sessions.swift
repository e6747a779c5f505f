// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering

/// `oppi sessions`: what the agents of all servers work at.
enum Sessions {
  struct Options: Sendable, Equatable {
    var state: SessionState?
    var workspace: String?
    var limit = 30
  }

  static let command: Command = Command(
    "sessions",
    "List the sessions of all paired servers",
    discussion: """
      All servers are asked at the same time, each for at most 5 s (or --timeout). The most urgent \
      sessions come first:

        waiting   an approval or a question waits for you
        failed    the agent could not be started, or its last turn failed
        running   a turn runs
        idle      the agent rests; it takes a place on its server
        done      it has ended, or was never begun; a message starts it anew

      How a turn stands is looked at where it runs, and in the 8 sessions of a server whose turns \
      ended last, in the last 15 minutes; what is older is known by its server's word alone. A \
      server has places for 20 loaded sessions of a workspace and 40 in all, unless it is set \
      otherwise; 'oppi stop --idle' makes room.

      In a pipe each line has, with tabs between them: server/id, state, workspace, last activity, \
      cost, changed lines, model, goal, and what it waits for or does. Every command that takes a \
      SESSION takes the first of them.
      """,
    examples: [
      CommandExample("oppi sessions --state waiting", "What needs you"),
      CommandExample("oppi sessions -w api --json", "Those of one workspace, as JSON"),
      CommandExample("oppi sessions | fzf | cut -f1 | xargs oppi show", "Choose one, and read it"),
    ],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78],
    members: SessionsReport.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .option("state", \.state, "Only those in this state"),
      .workspace(\.workspace, "Only those of this workspace"),
      .option("limit", placeholder: "N", \.limit, "Show at most N"),
    ],
    validate: { (options) throws(UsageError) in
      if options.limit < 1 { throw UsageError(.custom("--limit expects 1 or more")) }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (fleet, workspace) = try await context.fleet(inWorkspace: options.workspace)
    let answers = await OverviewQuery(fleet).answers(.turns)
    // A question that was cut short says nothing of the servers.
    try Task.checkCancellation()
    let all = answers.flatMap { answer -> [SessionRow] in
      guard case .success(let overview) = answer.result else { return [] }
      return overview.statuses.map { SessionRow(server: answer.server, status: $0) }
    }
    .filter { row in workspace.map { row.status.workspaceID == $0.workspace.id } ?? true }
    let report = SessionsReport(
      all.filter { options.state?.includes($0.status.phase) ?? true },
      limit: options.limit,
      of: all,
      failures: FleetFailures(answers),
      isOnlyServer: try context.servers().count == 1,
      now: context.now()
    )
    var result = report.report
    let overviews = answers.compactMap { try? $0.result.get() }
    result.afterwards = { context.remember(overviews) }
    return result
  }
}

/// What sessions are chosen by.
enum SessionState: String, Sendable, CaseIterable, ArgumentValue {
  case waiting
  case failed
  case running
  case idle
  case done
  case all

  static var placeholder: String { "STATE" }

  func includes(_ phase: SessionPhase) -> Bool { self == .all || rawValue == phase.rawValue }
}
