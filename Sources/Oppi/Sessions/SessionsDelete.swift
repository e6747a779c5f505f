// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// `oppi sessions delete`: deletes sessions that are named, or have not been used for a time.
enum SessionsDelete {
  /// The least time since the sessions were last active.
  struct Age: ArgumentValue, Equatable {
    static let placeholder = Duration.placeholder

    let duration: Duration

    init(argument: String) throws(ArgumentValueError) {
      let duration = try? Duration(argument: argument)
      guard let duration, duration >= DeleteSessions.leastAge else {
        throw ArgumentValueError("expects a duration such as 30d, at least 1m")
      }
      self.duration = duration
    }
  }

  struct Options: Sendable, Equatable {
    var sessions: [SessionName] = []
    var age: Age?
    var workspace: String?
    var isEverywhere = false
    var isDryRun = false
    var isAgreed = false
  }

  static let command: Command = Command(
    "delete",
    "Delete sessions by id or by age",
    discussion: """
      Deletes the named sessions, or with --older the sessions of a workspace that were last \
      active longer ago, on their server. The conversation of a deleted session is lost; its \
      changes in the workspace stay. With --older configured defaults do not apply: give -w, or \
      --all-workspaces.

      A session is kept while a turn runs, while an approval or a question is pending, while a \
      prompt for it is in the outbox of this machine, and while its agent runs in a terminal on \
      the server. This is checked again right before each deletion; a session that is in use by \
      then is kept and reported. If a named session is kept, the status is 75.

      On a terminal the sessions are listed, and you must type yes; without a terminal --yes is \
      required. --dry-run only lists them. 'oppi show --all --markdown' exports a conversation.

      After three failures of a server its other sessions are not tried; --timeout limits the \
      total time. The first failure determines the exit status. In a pipe each line has, separated \
      by tabs: server/id, result (planned, deleted, gone, kept, failed or untried), reason, \
      workspace, last activity, changed lines and title.
      """,
    examples: [
      ("oppi sessions delete CdJR04ap", "Delete one session after a question"),
      ("oppi sessions delete --older 30d -w api -n", "List the sessions to delete"),
      ("oppi sessions delete --older 30d -w api", "Delete them after a question"),
      ("oppi sessions delete --older 90d --all-workspaces --yes", "Clean up in a cron job"),
    ],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78, 130],
    members: list.members + others.rows,
    options: Options(),
    arguments: [
      .option("older", \.age, "Only sessions last active longer ago, for example 30d"),
      .workspace(\.workspace, "Only sessions of this workspace"),
      .flag("all-workspaces", \.isEverywhere, "Sessions of all workspaces of all servers"),
      .flag("dry-run", short: "n", \.isDryRun, "List the sessions, without deleting them"),
      .flag("yes", short: "y", \.isAgreed, "Do not ask for confirmation"),
      .positional(
        "session",
        completion: .names(of: .session),
        \.sessions,
        "A session id, the start of an id, or last"
      ),
    ],
    validate: { (options) throws(UsageError) in
      guard options.sessions.isEmpty else {
        guard options.age == nil, options.workspace == nil, !options.isEverywhere else {
          throw UsageError(
            .contradiction("--older, --workspace and --all-workspaces cannot be used with sessions")
          )
        }
        return
      }
      guard options.age != nil else {
        throw UsageError(
          .custom("give a session, or --older"),
          hint: "for example: oppi sessions delete --older 30d -w WORKSPACE"
        )
      }
      guard options.isEverywhere || options.workspace != nil else {
        throw UsageError(.custom("give a workspace with -w, or --all-workspaces"))
      }
      guard !options.isEverywhere || options.workspace == nil else {
        throw UsageError(.contradiction("give either -w or --all-workspaces"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let flow = try await flow(options, in: context)
    let found = try await flow.candidates()
    var candidates = found.all
    // The sessions of a server that could not be queried may exist.
    if found.failures.errors.isEmpty, let missing = flow.choice.missing(among: candidates) {
      throw OppiError.unknownSession(name: missing)
    }
    let count = candidates.count { $0.outcome == nil }
    if !options.isDryRun, count > 0 {
      if !options.isAgreed { try await ask(candidates, count, in: context) }
      try await flow.delete(&candidates)
    }
    return report(candidates, found.failures, flow.choice, in: context)
  }

  private static func flow(
    _ options: Options,
    in context: Context
  ) async throws -> DeleteSessions {
    guard let age = options.age else {
      let named = try await named(options.sessions, in: context)
      return DeleteSessions(
        context: context.services,
        fleet: context.fleet(of: named.servers),
        choice: .named(named.places)
      )
    }
    let (fleet, workspace) = try await context.fleet(inWorkspace: options.workspace)
    return DeleteSessions(
      context: context.services,
      fleet: fleet,
      choice: .unused(for: age.duration, inWorkspace: workspace?.workspace.id)
    )
  }

  /// The named sessions and their servers; none is deleted if one does not exist.
  private static func named(
    _ names: [SessionName],
    in context: Context
  ) async throws -> (places: [SessionID], servers: [PairedServer]) {
    let resolver = SessionResolver(try context.fleet(), in: context.services, isStrict: true)
    var sessions: [ServerSession] = []
    for name in names { sessions.append(try await resolver.resolve(name.text)) }
    let ids = Set(sessions.map(\.server.id))
    return (
      sessions.map { SessionID(serverID: $0.server.id, sessionID: $0.id) },
      try context.servers().filter { ids.contains($0.id) }
    )
  }

  /// Shows the sessions and asks for the word yes.
  private static func ask(_ rows: [DeleteSessions.Candidate], _ count: Int, in context: Context)
    async throws
  {
    try context.checkCanConfirm()
    let table = list.table(of: rows, ListView(now: context.now()))
    for line in table.lines(width: context.output.policy.width) {
      await context.output.status(line)
    }
    let sessions = count.counted("session")
    try await context.confirm(
      "Delete \(sessions)? The conversations are lost; changes in the workspaces stay.",
      declined: "nothing was deleted",
      by: "yes",
      unless: false
    )
  }

  // MARK: - Report

  private static func report(
    _ rows: [DeleteSessions.Candidate],
    _ failures: FleetFailures,
    _ choice: DeleteSessions.Choice,
    in context: Context
  ) -> Report {
    // A reason that sessions share is reported once.
    let errors =
      (failures.errors + rows.compactMap(\.error) + untried(rows)
      + (choice.isNamed ? rows.compactMap(\.keptError) : [])).distinct
    return list.report(
      rows,
      in: context,
      others: others.object(of: failures),
      status: errors.isEmpty ? StyledText(summary(of: rows)) : nil,
      notes: errors.dropFirst().map { .warning($0.message) },
      failure: errors.first
    )
  }

  /// Why sessions were not tried, as one error.
  private static func untried(_ rows: [DeleteSessions.Candidate]) -> [OppiError] {
    let count = rows.count { $0.state == "untried" }
    guard count > 0 else { return [] }
    return [
      OppiError(
        .timedOut,
        "\(count.counted("session")) not tried",
        hints: ["repeat the command, with a longer --timeout if given"]
      )
    ]
  }

  private static func summary(of rows: [DeleteSessions.Candidate]) -> String {
    guard !rows.isEmpty else { return "no session is that old" }
    let counts = ["planned", "deleted", "gone", "kept"].compactMap { word -> String? in
      let count = rows.count { $0.state == word }
      return count > 0 ? "\(count) \(word == "planned" ? "to delete" : word)" : nil
    }
    return "sessions: " + counts.joined(separator: ", ")
  }

  static let list = Listing<DeleteSessions.Candidate>(
    "sessions",
    "The sessions that are old enough",
    [
      .text("id", "The session's id") { $0.status.id },
      .text("state", "planned (with --dry-run), deleted, gone, kept, failed or untried") {
        $0.state
      },
      .optionalText(
        "reason",
        "Why it was kept: recent, running, waiting, terminal or queued-prompt"
      ) { $0.obstacle?.rawValue },
      .optionalText("error", "Why the deletion failed, if it failed") { $0.error?.message },
      .text("goal", "Its name, else the start of its first message, or null") {
        $0.status.goal
      },
      .workspace { WorkspaceLabel($0.session, on: $0.server) },
      .server { $0.server },
      .text("lastActivity", "When it was last active") { $0.lastActivity },
      .object("changes", "Its file changes, if any", SessionRow.changesShape) {
        $0.status.changes
      },
    ],
    columns: [
      .text("ID", .kept, .name) { $0.shortID },
      .age(.kept) { $0.status.lastActivity },
      .cell("RESULT", .kept) { row, _ in StyledText(row.state, row.style) },
      .text("SERVER", .context) { $0.server.name },
      .text("WORKSPACE", .context) { $0.status.workspaceName },
      .text("CHANGES", .detail(1), .dim) { $0.status.changesText },
      .text("TITLE", .decides) { row in
        [row.status.goal, row.reason].compactMap(\.self).joined(separator: "  ")
      },
    ],
    pipe: [
      .text { $0.qualifiedID }, "state", .text { $0.reason },
      .text { $0.status.workspaceName }, "lastActivity",
      .text { $0.status.changesText }, "goal",
    ]
  )

  static let others: JSONShape<FleetFailures> = [.errors { $0 }]
}

extension DeleteSessions.Choice {
  fileprivate var isNamed: Bool { if case .named = self { true } else { false } }

  /// A named session that is not among those that servers listed.
  fileprivate func missing(among found: [DeleteSessions.Candidate]) -> String? {
    guard case .named(let places) = self else { return nil }
    return places.first { place in !found.contains { $0.place == place } }?.sessionID
  }
}

extension DeleteSessions.Candidate {
  fileprivate var qualifiedID: String { server.qualified(status.id) }

  fileprivate var lastActivity: String {
    status.lastActivity.isKnown ? status.lastActivity.iso8601 : ""
  }

  /// A word of JSON.
  fileprivate var state: String {
    switch outcome {
    case nil: "planned"
    case .deleted: "deleted"
    case .gone: "gone"
    case .kept: "kept"
    case .failed: "failed"
    case .untried: "untried"
    }
  }

  fileprivate var style: Style {
    switch outcome {
    case .failed, .untried: .error
    case .kept: .warning
    case .deleted, .gone, nil: .plain
    }
  }

  fileprivate var reason: String? { obstacle?.reason ?? error?.message }

  /// Why it was kept although it was named.
  fileprivate var keptError: OppiError? {
    obstacle.map { OppiError(.sessionBusy, "\(qualifiedID) was not deleted: \($0.reason)") }
  }

  fileprivate var error: OppiError? {
    guard case .failed(var error) = outcome else { return nil }
    guard error.refusedStatus != 405, !error.isMissingRoute else {
      return OppiError(
        .serverError,
        "\(server.name) cannot delete sessions: it has no route for it",
        hints: ["update the server"]
      )
    }
    error.message = "could not confirm that \(qualifiedID) was deleted: \(error.message)"
    error.hints = ["repeat the command: it deletes what is left"]
    return error
  }
}

extension DeleteSessions.Obstacle {
  fileprivate var reason: String {
    switch self {
    case .recent: "it was used meanwhile"
    case .running: "a turn runs"
    case .waiting: "it waits for an approval or an answer"
    case .inTerminal: "its agent runs in a terminal on the server"
    case .queuedPrompt: "a prompt for it is in the outbox"
    }
  }
}
