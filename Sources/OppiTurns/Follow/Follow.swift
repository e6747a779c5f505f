// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient

/// `oppi follow`: a live view of a session's turn.
package enum Follow {
  package struct Options: Sendable, Equatable {
    package var session: SessionName?
    var isForever = false
    var isPlain = false

    package init() {}
  }

  package static let command: Command = Command(
    "follow",
    "Watch a session's turn live",
    discussion: """
      Shows what the agent does until its turn ends; the exit status is the outcome of the turn. \
      Without SESSION, shows the running session with the latest activity. For a session without a \
      running turn, the outcome of its last turn is shown and determines the status; no agent is \
      started. A lost connection is re-established: nothing is shown twice, and nothing is missed \
      that the server still has. After 2 minutes without a connection the command fails with \
      status 69 or 75. With --forever it retries, once it has been connected, and exits only when \
      the session ends.

      On a terminal, each block of the answer and each tool call is printed as soon as it is \
      complete; the unfinished rest and the state of the turn are redrawn below. In a pipe or \
      with --plain it prints one line per change; with --json it prints one object per line (see \
      'oppi help json'). For screen readers see 'oppi help accessible'. OPPI_REDUCE_MOTION \
      disables the animation.
      """,
    examples: [
      ("oppi follow", "Watch the running session"),
      ("oppi follow last --json", "Print the events of the last session as JSON"),
    ],
    exitStatuses: [0, 1, 4, 6, 64, 66, 69, 75, 76, 77, 78, 124, 130, 143],
    members: lines,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("forever", \.isForever, "Keep watching after the turn ends"),
      .flag("plain", \.isPlain, "Print one line per change and redraw nothing"),
      .anySession(\.session),
    ],
    run: run
  )

  /// The JSON lines of ``ActivityJSON``: the common members, then the members of each type.
  private static let lines =
    [
      HelpRow("type", "The event: one of those below, each with its members"),
      HelpRow("at", "When the event was received"),
      HelpRow("sessionId", "The session"),
      HelpRow("past", "True if the event is from before the connection"),
    ] + ActivityJSON.fields.map { HelpRow($0.type, $0.fields.joined(separator: ", ")) }

  package static func run(_ options: Options, in context: Context) async throws -> Report {
    let context = try await context.applyingSettings()
    let session = try await resolve(options.session, in: context)
    await context.announceMode()
    try await context.output.print(.step(status: await context.introduction(of: session)))
    let api = try await context.connections.client(for: session.server)
    let following = FollowTurn(api: api, timeout: context.options.timeout)
    let choice = ViewChoice(context: context, sessionID: session.id, isPlain: options.isPlain)
    let outcome = try await following.follow(
      session,
      isForever: options.isForever,
      showing: choice.answerView
    )
    var report =
      switch outcome {
      case .watched(let ending): choice.report(of: ending)
      case .atRest(let turn): choice.report(atRest: turn)
      }
    report.theme = context.output.policy.theme
    return report
  }

  private static func resolve(
    _ name: SessionName?,
    in context: Context
  ) async throws -> ServerSession {
    if let name { return try await context.session(named: name) }
    guard let session = try await context.sessions().newestBusy() else {
      throw OppiError(
        .noSuchSession,
        "no session is running",
        hints: ["specify a session: oppi follow SESSION"]
      )
    }
    return session
  }
}
