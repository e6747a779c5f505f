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
    var session: SessionName?
  }

  static let command = CommandSpec<Context>(
    "stop",
    "Stop a session's turn, or the session",
    discussion: """
      Ends the running turn; the session stays for the next one. A tool call that waits for \
      approval is denied first, since a stop does not release it, and a pause before another \
      attempt is ended. Messages that waited behind the turn are dropped, and counted; servers \
      before March 2026 keep them and run them after the next prompt. With --session the whole \
      session is ended, which frees its place on the server. Says what the server confirmed.
      """,
    examples: [
      CommandExample("oppi stop last", "Stop what was asked last"),
      CommandExample("oppi stop --session studio/CdJR04ap", "End a session for good"),
    ],
    exitStatuses: [0, 1, 66, 69, 75, 77, 78],
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("session", \.isWholeSession, "End the whole session"),
      .positional(
        "session",
        required: true,
        completion: .dynamic("session"),
        \.session,
        "The session"
      ),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws {
    guard let name = options.session else { return }
    let session = try await SessionResolver(
      servers: try context.servers(),
      connections: context.connections,
      lastUsed: context.lastUsed.load()
    )
    .resolve(name.text)
    let api = try await context.connections.client(for: session.server)
    let stopping = StopTurn(api: api, newID: context.newID)
    let outcome =
      options.isWholeSession
      ? try await stopping.stopSession(session) : try await stopping.stopTurn(of: session)
    try report(outcome, of: session, in: context)
  }

  private static func report(
    _ outcome: StopTurn.Outcome,
    of session: ServerSession,
    in context: Context
  ) throws {
    if case .failed(let reason) = outcome {
      throw OppiError(
        .turnFailed,
        "\(session.id) did not stop: \(reason.safeLine())",
        hints: ["end the whole session with: oppi stop --session -- \(session.id)"],
        details: ["sessionId": .string(session.id)]
      )
    }
    guard context.console.policy.isJSON else {
      return context.console.status(StyledText(words(for: outcome, session.id)))
    }
    let dropped: Int? = if case .stopped(let count) = outcome { count } else { nil }
    try context.console.print(
      .members([
        "state": .string(outcome == .alreadyIdle ? "idle" : TurnOutcome.stopped(reason: nil).word),
        "sessionId": .string(session.id),
        "sessionEnded": .bool(outcome == .sessionEnded),
        "droppedMessages": dropped.map { .integer(Int64($0)) },
      ])
    )
  }

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
