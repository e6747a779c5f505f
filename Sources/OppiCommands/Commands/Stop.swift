// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi stop`: ends a turn or a session.
enum Stop {
  struct Options: Sendable, Equatable {
    var isWholeSession = false
    var isIdle = false
    var workspace: String?
    var session: SessionName?
  }

  static let command: Command = Command(
    "stop",
    "Stop a session's turn, or the session",
    discussion: """
      Ends the running turn; the session stays for the next one. A tool call that waits for \
      approval is denied with it, since a stop does not release it, and a pause before another \
      attempt is ended. Messages that waited behind the turn are dropped, and counted; servers \
      before March 2026 keep them and run them after the next prompt. With --session the whole \
      session is ended, which frees its place on the server. Only what the server has confirmed is \
      reported.

      With --idle every session is ended whose agent has been idle for a minute or more, on all \
      paired servers or in one workspace; a message starts such a session anew. A server takes about \
      a second for each; --timeout limits the whole.
      """,
    examples: [
      CommandExample("oppi stop last", "Stop what was asked last"),
      CommandExample("oppi stop --session studio/CdJR04ap", "End a whole session"),
      CommandExample("oppi stop --idle -w api", "Make room in a workspace"),
    ],
    exitStatuses: [0, 1, 66, 69, 75, 76, 77, 78],
    members: shape.rows + StopIdle.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("session", \.isWholeSession, "End the whole session"),
      .flag("idle", \.isIdle, "End all idle sessions"),
      .workspace(\.workspace, "With --idle, only those of this workspace"),
      .positional(
        "session",
        completion: .dynamic("session"),
        \.session,
        "Its id, the start of its id, or last"
      ),
    ],
    validate: { (options) throws(UsageError) in
      if !options.isIdle {
        guard options.session != nil else { throw UsageError(.missingPositional("SESSION")) }
        guard options.workspace == nil else {
          throw UsageError(.contradiction("--workspace goes with --idle"))
        }
      } else if options.session != nil {
        throw UsageError(.contradiction("give --idle or a SESSION"))
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
    return try report(outcome, of: session)
  }

  private static func report(
    _ outcome: StopTurn.Outcome,
    of session: ServerSession
  ) throws -> Report {
    if case .failed(let reason) = outcome {
      throw OppiError.notStopped(session.id, because: reason)
    }
    return Report(
      shape.document(of: (outcome, session)),
      status: StyledText(words(for: outcome, session.id))
    )
  }

  private static let shape: JSONShape<(outcome: StopTurn.Outcome, session: ServerSession)> = [
    .member("state", "stopped or idle") {
      .string($0.outcome == .alreadyIdle ? "idle" : TurnOutcome.stopped(reason: nil).word)
    },
    .member("sessionId", "The session") { .string($0.session.id) },
    .member("sessionEnded", "Whether the whole session was ended") {
      .bool($0.outcome == .sessionEnded)
    },
    .member("droppedMessages", "How many queued messages the stop dropped") {
      if case .stopped(let count) = $0.outcome { .integer(Int64(count)) } else { nil }
    },
  ]

  private static func words(for outcome: StopTurn.Outcome, _ id: String) -> String {
    switch outcome {
    case .alreadyIdle, .failed: "\(id) was not working"
    case .stopped(0): "stopped the turn of \(id)"
    case .stopped(1): "stopped the turn of \(id); 1 queued message was dropped"
    case .stopped(let count): "stopped the turn of \(id); \(count) queued messages were dropped"
    case .sessionEnded: "ended session \(id)"
    }
  }
}
