// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiTurns
import OppiWire

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
    var since: SinceTime?
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

      A server limits the number of loaded sessions. The number is shown with --verbose, and when a \
      workspace of a server older than May 2026 is nearly full by that server's default. 'oppi stop \
      --idle' ends idle sessions.

      A terminal shows the start of each id, which every command that takes a SESSION accepts. On a \
      narrow terminal the changed lines and the cost are omitted first; --json and a pipe have \
      everything.

      --since takes a date such as 2026-11-28, today or yesterday in local time, a time in ISO \
      8601, or a duration such as 2h, and selects the sessions that were last active then or later.

      With --exit-status the status is 0 if a session waits for you (an approval or a question is \
      pending in the selected workspace or anywhere), and 1 if none does. If no server with such a \
      session answered and another one could not be queried, the status is that of its error.

      In a pipe each line has, separated by tabs: server/id, state, goal, pending request or operation, \
      workspace, last activity, cost, changed lines and model. Every command that takes a SESSION \
      accepts the first field.
      """,
    examples: [
      ("oppi sessions --state waiting", "List sessions that wait for you"),
      ("oppi sessions --since yesterday --state failed", "List recent failures"),
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
      .option(
        "since",
        completion: .choices(SinceTime.names),
        \.since,
        "Only sessions last active at this time or later"
      ),
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
    let now = context.now()
    for answer in answers {
      guard case .success(let overview) = answer.result else { continue }
      all.reserveCapacity(all.count + overview.sessions.count)
      for status in overview.statuses
      where workspace.map({ status.workspaceID == $0.workspace.id }) ?? true {
        all.append(SessionRow(server: answer.server, status: status, now: now))
      }
    }
    let isSelected = { (row: SessionRow) in
      (options.state?.includes(row.status.phase) ?? true)
        && (options.since?.isBefore(row.status.lastActivity, now: now) ?? true)
    }
    let report = SessionsReport(
      options.state == nil && options.since == nil ? all : all.filter(isSelected),
      limit: options.limit,
      of: all,
      failures: FleetFailures(answers)
    )
    let shown = report.rows.flatMap { ShownRequests.entries(of: $0.status, on: $0.server.id) }
    await context.services.remember(listed: shown)
    let isOnlyServer = try context.servers().count == 1
    var result = report.report(in: context, isOnlyServer: isOnlyServer)
    if options.isTest, !all.contains(where: { $0.status.phase == .waiting }) {
      result.ending = .nothingPending
      result.failure = result.failure ?? FleetFailures(answers).errors.first
    }
    let overviews = answers.compactMap(\.value)
    result.afterwards = { context.services.remember(overviews) }
    return result
  }
}

/// The start of a period: a date, today, yesterday, a moment, or a duration before now.
enum SinceTime: ArgumentValue, Equatable {
  case date(LocalDate)
  case daysAgo(Int)
  case moment(Timestamp)
  case ago(Duration)

  static let placeholder = "TIME"
  /// The names of days, by their distance from today.
  static let names = ["today", "yesterday"]

  init(argument: String) throws(ArgumentValueError) {
    if let days = Self.names.firstIndex(of: argument) {
      self = .daysAgo(days)
    } else if let date = LocalDate(argument) {
      self = .date(date)
    } else if let moment = Timestamp(iso8601: argument) {
      self = .moment(moment)
    } else if argument.last?.isLetter == true, let duration = try? Duration(argument: argument) {
      self = .ago(duration)
    } else {
      throw ArgumentValueError("expects a time such as yesterday, 2026-11-28 or 2h")
    }
  }

  /// Whether the period has begun by a moment; not for one that is not known.
  func isBefore(_ moment: Timestamp, now: Timestamp) -> Bool {
    guard moment.isKnown else { return false }
    switch self {
    case .date(let date): return date <= LocalTime.date(at: moment)
    case .daysAgo(let days):
      // From about noon, because a day may have 23 or 25 hours.
      let sinceNoon = Duration.seconds(LocalTime.minuteOfDay(at: now) * 60 - 12 * 3600)
      let noon = now.moved(by: .zero - sinceNoon - .seconds(days * 86_400))
      return LocalTime.date(at: noon) <= LocalTime.date(at: moment)
    case .moment(let start): return start <= moment
    case .ago(let duration): return now.moved(by: .zero - duration) <= moment
    }
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
