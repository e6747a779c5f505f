// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem
import OppiTerminal

/// `oppi stop`: stops a turn, or ends sessions.
enum Stop {
  struct Options: Sendable, Equatable {
    var isWholeSession = false
    var isIdle = false
    var workspace: String?
    var session: SessionName?
  }

  static let command: Command = Command(
    "stop",
    "Stop a turn or end a session",
    discussion: """
      Stops the running turn; the session stays available. A pending tool call of the turn is \
      denied, because a stop alone does not resolve it, and a pause before a retry is ended. \
      Messages that are queued behind the turn are removed, and their number is reported; servers \
      older than March 2026 keep them and run them after the next prompt. With --session the whole \
      session is ended, so that it is no longer loaded. Only results that the server confirmed are \
      reported.

      With --idle all sessions whose agents have been idle for at least a minute are ended, on \
      all paired servers or in one workspace; a message restarts such a session. Each session \
      takes about a second; --timeout limits the total time.
      """,
    examples: [
      ("oppi stop last", "Stop the turn of the last session"),
      ("oppi stop --session studio/CdJR04ap", "End a whole session"),
      ("oppi stop --idle -w api", "End the idle sessions of a workspace"),
    ],
    exitStatuses: [0, 1, 64, 66, 69, 75, 76, 77, 78],
    members: shape.rows + StopIdle.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("session", \.isWholeSession, "End the whole session"),
      .flag("idle", \.isIdle, "End all idle sessions"),
      .workspace(\.workspace, "With --idle: only sessions of this workspace"),
      .anySession(\.session),
    ],
    validate: { (options) throws(UsageError) in
      if !options.isIdle {
        guard options.session != nil else { throw UsageError(.missingPositional("SESSION")) }
        guard options.workspace == nil else {
          throw UsageError(.contradiction("--workspace requires --idle"))
        }
      } else if options.session != nil {
        throw UsageError(.contradiction("give either --idle or SESSION"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    guard let name = options.session else {
      return try await StopIdle.run(inWorkspace: options.workspace, in: context)
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
  static func words(for outcome: StopTurn.Outcome, _ id: String) -> String {
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
  static func run(inWorkspace word: String?, in context: Context) async throws -> Report {
    let (fleet, workspace) = try await context.fleet(inWorkspace: word)
    let answers = await EndIdleSessions(fleet, timeout: context.options.timeout)
      .answers(inWorkspace: workspace?.workspace.id)
    let ended = answers.flatMap { answer in
      ((try? answer.result.get())?.ended ?? []).map { (server: answer.server, session: $0) }
    }
    let errors = FleetFailures(answers).errors + answers.flatMap(\.refusals)
    let words =
      switch ended.count {
      case 0: errors.isEmpty ? "no session has been idle for a minute" : "ended no session"
      case let count: "ended \(count.counted("session"))"
      }
    let table = Table(plain: ended) { server, session in
      [server.qualified(session.id), session.workspaceName ?? "", session.goal ?? ""]
    }
    return Report(
      shape.document(of: ended),
      .table(table),
      status: StyledText(words),
      notes: errors.dropFirst().map { .warning($0.message) },
      failure: errors.first
    )
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
