// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// `oppi stop`: stops a turn, or ends sessions.
package enum Stop {
  struct Options: Sendable, Equatable {
    var isWholeSession = false
    var isIdle = false
    var workspace: String?
    var isAgreed = false
    var session: SessionName?
  }

  package static let command: Command = Command(
    "stop",
    "Stop a turn or end a session",
    discussion: """
      Stops the running turn; the session stays available. A pending tool call of the turn is \
      denied, because a stop alone does not resolve it, and a pause before a retry is ended. \
      Messages that are queued behind the turn are removed, and their number is reported; servers \
      older than March 2026 keep them and run them after the next prompt. With --session the whole \
      session is ended, so that it is no longer loaded. Only results that the server confirmed are \
      reported.

      With --idle all sessions whose agents have been idle for at least a minute are ended, also \
      after a failed turn; a message restarts such a session. With -w they are those of one \
      workspace. Without it they are those of all paired servers: they are listed first, on a \
      terminal you must confirm, and without one --yes is required. Each session takes about a \
      second; --timeout limits the total time.
      """,
    examples: [
      ("oppi stop last", "Stop the turn of the last session"),
      ("oppi stop --session studio/CdJR04ap", "End a whole session"),
      ("oppi stop --idle -w api", "End the idle sessions of a workspace"),
    ],
    exitStatuses: [0, 1, 64, 66, 69, 75, 76, 77, 78, 130],
    members: shape.rows + StopIdle.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("session", \.isWholeSession, "End the whole session"),
      .flag("idle", \.isIdle, "End all idle sessions"),
      .workspace(\.workspace, "With --idle: only sessions of this workspace"),
      .flag("yes", short: "y", \.isAgreed, "With --idle: do not ask for confirmation"),
      .anySession(\.session),
    ],
    validate: { (options) throws(UsageError) in
      if !options.isIdle {
        guard options.session != nil else { throw UsageError(.missingPositional("SESSION")) }
        guard options.workspace == nil, !options.isAgreed else {
          throw UsageError(.contradiction("--workspace and --yes require --idle"))
        }
      } else if options.session != nil {
        throw UsageError(.contradiction("give either --idle or SESSION"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    guard let name = options.session else {
      return try await StopIdle.run(options, in: context)
    }
    let session = try await context.session(named: name)
    let api = try await context.connections.client(for: session.server)
    let stopping = StopTurn(api: api, timeout: context.options.timeout)
    let outcome =
      options.isWholeSession
      ? try await stopping.stopSession(session) : try await stopping.stopTurn(of: session)
    if case .failed(let reason) = outcome {
      throw OppiError(
        .turnFailed,
        "could not stop the turn of \(session.id): \(reason.safeLine())",
        hints: ["end the whole session with: oppi stop --session -- \(session.id)"],
        details: ["sessionId": .string(session.id)]
      )
    }
    return Report(
      shape.document(of: (outcome, session)),
      status: StyledText(words(for: outcome, session.id))
    )
  }

  private static let shape: JSONShape<(outcome: StopTurn.Outcome, session: ServerSession)> = [
    .text("state", "stopped or idle") {
      $0.outcome == .alreadyIdle ? SessionPhase.idle.word : TurnOutcome.stopped(reason: nil).word
    },
    .text("sessionId", "The session") { $0.session.id },
    .bool("sessionEnded", "Whether the whole session was ended") { $0.outcome == .sessionEnded },
    .member("droppedMessages", "The number of queued messages that the stop removed") {
      if case .stopped(let count) = $0.outcome { .integer(Int64(count)) } else { nil }
    },
  ]

  /// What a stop did; `failed` counts as no running turn, because its error says more.
  package static func words(for outcome: StopTurn.Outcome, _ id: String) -> String {
    switch outcome {
    case .alreadyIdle, .failed: "session \(id) has no running turn"
    case .stopped(0): "stopped the turn of \(id)"
    case .stopped(1): "stopped the turn of \(id); 1 queued message was removed"
    case .stopped(let count): "stopped the turn of \(id); \(count) queued messages were removed"
    case .sessionEnded: "ended session \(id)"
    }
  }
}

/// `oppi stop --idle`: ends the sessions whose agents are idle.
enum StopIdle {
  static func run(_ options: Stop.Options, in context: Context) async throws -> Report {
    let chosen = try await context.fleet(inWorkspace: options.workspace)
    var fleet = chosen.fleet
    var shown: Set<SessionID>?
    var errors: [OppiError] = []
    if options.workspace == nil, !options.isAgreed {
      let agreed = try await confirmed(fleet, in: context)
      (shown, errors) = (agreed.places, agreed.errors)
      let servers = Set(agreed.places.map(\.serverID))
      fleet = context.fleet(of: fleet.servers.filter { servers.contains($0.id) })
    }
    let answers = await EndIdleSessions(fleet, timeout: context.options.timeout)
      .answers(inWorkspace: chosen.workspace?.workspace.id, only: shown)
    let ended = answers.flatMap { answer in
      ((try? answer.result.get())?.ended ?? []).map { (server: answer.server, session: $0) }
    }
    errors += FleetFailures(answers).errors + answers.flatMap(\.refusals)
    let words =
      switch ended.count {
      case 0: errors.isEmpty ? "no session has been idle for a minute" : "ended no session"
      case let count: "ended \(count.counted("session"))"
      }
    return Report(
      shape.document(of: ended),
      .table(table(of: ended)),
      status: StyledText(words),
      notes: errors.dropFirst().map { .warning($0.message) },
      failure: errors.first
    )
  }

  /// Lists the idle sessions of all servers, and asks for the confirmation; returns those that were
  /// listed, and the errors of servers that could not be queried.
  private static func confirmed(
    _ fleet: Fleet,
    in context: Context
  ) async throws -> (places: Set<SessionID>, errors: [OppiError]) {
    let answers = await EndIdleSessions(fleet).idle()
    try Task.checkCancellation()
    let errors = FleetFailures(answers).errors
    let idle = answers.flatMap { answer in
      (answer.value ?? []).map { (server: answer.server, session: $0) }
    }
    guard !idle.isEmpty else { return ([], errors) }
    if context.canConfirm {
      for line in table(of: idle).lines(width: context.output.policy.width) {
        await context.output.status(line)
      }
    }
    let sessions = idle.count == 1 ? "this session" : "these \(idle.count) sessions"
    try await context.confirm("End \(sessions)?", declined: "no session was ended", unless: false)
    let places = idle.map { SessionID(serverID: $0.server.id, sessionID: $0.session.id) }
    return (Set(places), errors)
  }

  private static func table(of sessions: [Ended]) -> Table {
    Table(plain: sessions) { server, session in
      [server.qualified(session.id), session.workspaceName ?? "", session.goal ?? ""]
    }
  }

  typealias Ended = (server: PairedServer, session: Session)

  static let shape: JSONShape<[Ended]> = [
    .list("ended", "With --idle: the sessions that were ended", endedShape) { $0 }
  ]

  private static let endedShape: JSONShape<Ended> = [
    .text("sessionId", "The session") { $0.session.id },
    .workspace { ended in
      WorkspaceLabel(ended.session, on: ended.server)
    },
    .server { $0.server },
  ]
}

extension Fleet.Answer where Value == EndIdleSessions.Outcome {
  /// Why sessions could not be ended, as one error per server.
  fileprivate var refusals: [OppiError] {
    guard let outcome = try? result.get() else { return [] }
    let count = outcome.untriedCount
    let sessions = count.counted("idle session")
    let hints = ["list the loaded sessions with: oppi sessions"]
    guard var (_, error) = outcome.failures.first else {
      let words = "--timeout elapsed before \(sessions) on \(server.name) could be ended"
      return count > 0 ? [OppiError(.timedOut, words, hints: hints)] : []
    }
    let names = outcome.failures.map { server.qualified($0.session.id) }.joined(separator: ", ")
    let untried = count > 0 ? "; \(sessions) not tried" : ""
    error.message = "could not confirm that \(names) ended: \(error.message)\(untried)"
    // Hints about reaching the server do not apply, because it answered before.
    error.hints = hints
    return [error]
  }
}
