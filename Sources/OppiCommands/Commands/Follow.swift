// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// `oppi follow`: a session's turn, live.
enum Follow {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var isForever = false
    var isPlain = false
  }

  static let command: Command = Command(
    "follow",
    "Watch a session's turn live",
    discussion: """
      Shows what the agent does until its turn ends, and ends with the turn's own status. Without \
      SESSION it is the busy session that was active last. A session that is not at work is asked \
      how its last turn ended: that is shown and gives the status, and no agent is started for it. \
      A lost connection is made again: nothing is shown twice, and nothing is left out that the \
      server still has. A server that is away for 2 minutes is given up (status 69 or 75), but not \
      with --forever, which stays until the session ends.

      On a terminal it draws a card in place, and prints the answer below it at the end. In a pipe \
      or with --plain it prints a line for each change, which suits screen readers; with --json an \
      object a line (see 'oppi help json'). OPPI_REDUCE_MOTION stops the animation.
      """,
    examples: [
      CommandExample("oppi follow", "Watch what is going on now"),
      CommandExample("oppi follow last --json", "The session used last, for a program"),
    ],
    exitStatuses: [0, 1, 4, 6, 66, 69, 75, 76, 77, 78, 124],
    members: lines,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("forever", \.isForever, "Stay after the turn for the next one"),
      .flag("plain", \.isPlain, "One line for each change, no card"),
      .positional(
        "session",
        completion: .dynamic("session"),
        \.session,
        "Its id, the start of its id, or last"
      ),
    ],
    run: run
  )

  /// What the lines of JSON have, as ``ActivityJSON`` makes them: the members that all have, then
  /// the types of lines with the members of each.
  private static let lines =
    [
      HelpRow("type", "What has happened: one of those below, each with its members"),
      HelpRow("at", "When it was seen"),
      HelpRow("sessionId", "The session"),
      HelpRow("past", "True where it was over when it became known"),
    ] + ActivityJSON.fields.map { HelpRow($0.type, $0.fields.joined(separator: ", ")) }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let session = try await resolve(options.session, in: context)
    try await context.console.print(.step(status: await context.introduction(of: session)))
    let api = try await context.connections.client(for: session.server)
    let following = FollowTurn(api: api, timeout: context.options.timeout)
    let choice = ViewChoice(context: context, sessionID: session.id, isPlain: options.isPlain)
    guard !options.isForever else {
      let ending = try await following.followSession(session, showing: choice.answerView)
      return choice.report(of: ending)
    }
    switch try await following.follow(session, showing: choice.answerView) {
    case .watched(let ending): return choice.report(of: ending)
    case .atRest(let turn): return choice.report(atRest: turn)
    }
  }

  private static func resolve(
    _ name: SessionName?,
    in context: Context
  ) async throws -> ServerSession {
    if let name { return try await context.session(named: name) }
    guard let session = try await context.sessions().newestBusy() else {
      throw IntentError.noBusySession
    }
    return session
  }
}
