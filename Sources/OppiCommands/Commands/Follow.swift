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

  static let command = Command(
    "follow",
    "Watch a session's turn live",
    discussion: """
      Shows what the agent does until its turn ends, and ends with the turn's own status. Without a \
      SESSION it is the busy one with the latest activity. A session that is not at work is asked \
      how its last turn ended: that is shown and gives the status, and no agent is started for it. \
      A lost connection comes back by itself: nothing is shown twice, and nothing is left out that \
      the server still has. A server that is away for 2 minutes is given up (status 69 or 75), but \
      not with --forever, which stays until the session ends.

      On a terminal it is a card that is redrawn in place, and the answer below it at the end; in \
      a pipe or with --plain one line for \
      each change, which suits screen readers; with --json one object a line (see 'oppi help json'). \
      OPPI_REDUCE_MOTION stops the animation.
      """,
    examples: [
      CommandExample("oppi follow", "Watch what is going on now"),
      CommandExample("oppi follow last --json", "The session used last, for a program"),
    ],
    exitStatuses: [0, 1, 4, 6, 66, 69, 75, 77, 78, 124],
    members: FollowLine.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("forever", \.isForever, "Stay after the turn for the next one"),
      .flag("plain", \.isPlain, "One line for each change, no card"),
      .positional("session", completion: .dynamic("session"), \.session, "The session"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let session = try await resolve(options.session, in: context)
    let api = try await context.connections.client(for: session.server)
    let choice = ViewChoice(context: context, sessionID: session.id, isPlain: options.isPlain)
    guard !options.isForever else {
      return try await watch(session, api, choice, .session, in: context) ?? .end()
    }
    let located = try await SessionGlance.located(session, api: api)
    let glance = try await SessionGlance.at(located, api: api, now: context.now())
    switch glance.standing {
    case .atWork:
      if let report = try await watch(located, api, choice, .anyTurn, in: context) { return report }
      // It ended just before.
      let again = try await SessionGlance.at(located, api: api, now: context.now())
      return tell(again, of: located, choice, in: context)
    case .mayBeRetried:
      let quietEnd = context.loop.now + Self.pauseLimit
      let report = try await watch(located, api, choice, .anyTurn, until: quietEnd, in: context)
      if let report { return report }
      return tell(glance, of: located, choice, in: context)
    case .idle: return tell(glance, of: located, choice, in: context)
    }
  }

  /// The longest pause of an agent before it tries again, and some.
  private static let pauseLimit = Duration.seconds(15)

  /// Watches to the end of the scope; `nil` where there was nothing to watch.
  private static func watch(
    _ session: ServerSession,
    _ api: IntentAPIClient,
    _ choice: ViewChoice,
    _ scope: TurnWatch.Scope,
    until quietEnd: EventLoop.Instant? = nil,
    in context: Context
  ) async throws -> Report? {
    var watch = TurnWatch(context: context, session: session, api: api, scope: scope)
    watch.deadline = context.options.timeout.map { context.loop.now + $0 }
    watch.quietEnd = quietEnd
    var view = try choice.answerView()
    let ending = try await watch.run(&view)
    if case .idle = ending { return nil }
    return choice.report(of: ending)
  }

  /// Shows how the last turn of a session at rest ended, and ends as it did.
  private static func tell(
    _ glance: SessionGlance,
    of session: ServerSession,
    _ choice: ViewChoice,
    in context: Context
  ) -> Report {
    let status = StyledText(
      "session \(session.id) is not at work; --forever waits for its next turn"
    )
    guard let turn = glance.lastTurn, let outcome = turn.outcome else {
      return .step(status: status)
    }
    return choice.report(of: turn, outcome, status: status)
  }

  private static func resolve(
    _ name: SessionName?,
    in context: Context
  ) async throws -> ServerSession {
    if let name { return try await context.session(named: name) }
    guard let session = try await context.sessions().newestBusy() else {
      throw OppiError(
        .noSuchSession,
        "no session is busy",
        hints: ["name one: oppi follow SESSION"]
      )
    }
    return session
  }
}
