// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// `oppi sessions`: the sessions of all servers.
enum Sessions {
  static let command: Command = Command(
    "sessions",
    "List the sessions of all servers and delete old ones",
    group: Group.watching,
    defaultSubcommand: "list",
    subcommands: [SessionsList.command, SessionsDelete.command]
  )
}

enum SessionsList {
  struct Options: Sendable, Equatable {
    var state: SessionState?
    var workspace: String?
    var limit = 30
    var isTest = false
  }

  static let command: Command = Command(
    "list",
    "List the sessions of all paired servers",
    discussion: """
      Queries all servers at the same time, each for at most 5 s (or --timeout). The most urgent \
      sessions come first:

      \(SessionPhase.table)

      An idle session is marked with a check mark only if its last turn is known to have finished. \
      A server discards the error of a turn when the session ends; a failure that was listed \
      before is still shown for a day.

      A server allows 20 loaded sessions per workspace and 40 in total by default. The number of \
      loaded sessions is shown when a workspace is nearly full, and with --verbose. 'oppi stop \
      --idle' ends idle sessions.

      A terminal shows the start of each id, which every command that takes a SESSION accepts. On a \
      narrow terminal the changed lines and the cost are omitted first; --json and a pipe have \
      everything.

      With --exit-status the status is 0 if a session waits for you (an approval or a question is \
      pending in the selected workspace or anywhere), and 1 if none does. If no server with such a \
      session answered and another one could not be queried, the status is that of its error.

      In a pipe each line has, separated by tabs: server/id, state, goal, pending request or operation, \
      workspace, last activity, cost, changed lines and model. Every command that takes a SESSION \
      accepts the first field.
      """,
    examples: [
      ("oppi sessions --state waiting", "List sessions that need input"),
      ("oppi sessions -w api --json", "List the sessions of one workspace as JSON"),
      (
        "oppi sessions --exit-status >/dev/null && notify-send 'pi is waiting'",
        "Act if a session waits for you"
      ),
      ("oppi sessions --fields id,workspace.name,cost", "Choose the columns"),
      ("oppi sessions | fzf | cut -f1 | xargs oppi show", "Choose a session and show it"),
    ],
    exitStatuses: [0, 1, 64, 66, 69, 75, 76, 77, 78],
    members: SessionsReport.others.rows,
    options: Options(),
    arguments: [
      .option("state", \.state, "Only sessions in this state"),
      .workspace(\.workspace, "Only sessions of this workspace"),
      .option("limit", placeholder: "N", \.limit, "Show at most N sessions"),
      .flag("exit-status", \.isTest, "Exit with 0 if a session waits for you, else with 1"),
    ],
    validate: { (options) throws(UsageError) in
      if options.limit < 1 { throw UsageError(.custom("--limit expects 1 or more")) }
    },
    run: run
  )
  .listing([SessionRow.list])

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (fleet, workspace) = try await context.fleet(inWorkspace: options.workspace)
    let answers = try await fleet.overviews(.turns, of: .all, known: context.knownTurns)
    // Rows are large, and a server may have many: they are copied as rarely as possible.
    var all: [SessionRow] = []
    for answer in answers {
      guard case .success(let overview) = answer.result else { continue }
      all.reserveCapacity(all.count + overview.sessions.count)
      for status in overview.statuses
      where workspace.map({ status.workspaceID == $0.workspace.id }) ?? true {
        all.append(SessionRow(server: answer.server, status: status))
      }
    }
    let report = SessionsReport(
      options.state.map { state in all.filter { state.includes($0.status.phase) } } ?? all,
      limit: options.limit,
      of: all,
      failures: FleetFailures(answers)
    )
    let shown = report.rows.flatMap { ShownRequests.entries(of: $0.status, on: $0.server.id) }
    await context.intents.remember(listed: shown)
    let isOnlyServer = try context.servers().count == 1
    var result = report.report(in: context, isOnlyServer: isOnlyServer)
    if options.isTest, !all.contains(where: { $0.status.phase == .waiting }) {
      result.ending = .nothingPending
      result.failure = result.failure ?? FleetFailures(answers).errors.first
    }
    let overviews = answers.compactMap(\.value)
    result.afterwards = { context.intents.remember(overviews) }
    return result
  }
}

/// The filter of sessions.
enum SessionState: String, Sendable, CaseIterable, ArgumentValue {
  case waiting
  case failed
  case running
  case idle
  case ended
  /// The older name of ``ended``.
  case done
  case all

  static var placeholder: String { "STATE" }

  func includes(_ phase: SessionPhase) -> Bool {
    self == .all || rawValue == phase.word || rawValue == phase.rawValue
  }
}
