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
      approval is denied first, since a stop does not release it. With --session the whole session \
      is ended, which frees its place on the server. Says what the server confirmed.
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
    let (state, words) =
      switch outcome {
      case .alreadyIdle: ("idle", "\(session.id) was not working")
      case .stopped: ("stopped", "stopped the turn of \(session.id)")
      case .sessionEnded: ("ended", "ended session \(session.id)")
      case .failed: ("failed", "")
      }
    if case .failed(let reason) = outcome {
      throw OppiError(
        .turnFailed,
        "\(session.id) did not stop: \(reason.safeLine())",
        hints: ["end the whole session with: oppi stop --session -- \(session.id)"],
        details: ["sessionId": .string(session.id)]
      )
    }
    guard context.console.policy.isJSON else {
      return context.console.status(StyledText(words))
    }
    try context.console.print(["state": .string(state), "sessionId": .string(session.id)])
  }
}
