// SPDX-License-Identifier: MIT

import CommandTable
import Glibc
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi follow`: a session's turn, live.
enum Follow {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var isForever = false
    var isPlain = false
  }

  static let command = CommandSpec<Context>(
    "follow",
    "Watch a session's turn live",
    discussion: """
      Shows what the agent does until its turn ends, and ends with the turn's own status. Without a \
      SESSION it is the busy one with the latest activity. A lost connection comes back by itself: \
      nothing is shown twice, and nothing is left out that the server still has.

      On a terminal it is a card that is redrawn in place; in a pipe or with --plain one line for \
      each change, which suits screen readers; with --json one object a line (see 'oppi help json'). \
      OPPI_REDUCE_MOTION stops the animation.
      """,
    examples: [
      CommandExample("oppi follow", "Watch what is going on now"),
      CommandExample("oppi follow last --json", "The session used last, for a program"),
    ],
    exitStatuses: [0, 1, 4, 6, 66, 69, 77, 78, 124],
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("forever", \.isForever, "Stay after the turn for the next one"),
      .flag("plain", \.isPlain, "One line for each change, no card"),
      .positional("session", completion: .dynamic("session"), \.session, "The session"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws {
    let session = try await resolve(options.session, in: context)
    let api = try await context.connections.client(for: session.server)
    var watch = TurnWatch(context: context, session: session, api: api)
    watch.isEndless = options.isForever
    watch.endsWhenIdle = !options.isForever
    watch.deadline = context.options.timeout.map { .now + $0 }
    var view = try ViewChoice(context: context, sessionID: session.id, isPlain: options.isPlain)
      .answerView()
    let ending = try await watch.run(&view)
    if case .idle = ending {
      context.console.status(
        StyledText("session \(session.id) is not at work; --forever waits for its next turn")
      )
    }
    try TurnEnding(ending, sessionID: session.id).check()
  }

  private static func resolve(
    _ name: SessionName?,
    in context: Context
  ) async throws -> ServerSession {
    let servers = try context.servers()
    if let name {
      return try await SessionResolver(
        servers: servers,
        connections: context.connections,
        lastUsed: context.lastUsed.load()
      )
      .resolve(name.text)
    }
    let finder = SessionFinder(servers: servers, connections: context.connections)
    guard let session = try await finder.newestBusy() else {
      throw OppiError(
        .noSuchSession,
        "no session is busy",
        hints: ["name one: oppi follow SESSION"]
      )
    }
    return session
  }
}

/// Which view suits where the output goes.
struct ViewChoice {
  let context: Context
  let sessionID: String
  let isPlain: Bool

  /// For a command whose answer is the view.
  func answerView() throws -> any ActivityView {
    let console = context.console
    if console.policy.isJSON { return JSONView(console: console, sessionID: sessionID) }
    guard canDraw(on: STDOUT_FILENO) else { return PlainView(console: console, isAnswer: true) }
    return try CardView(descriptor: STDOUT_FILENO, context: context, theme: console.policy.theme)
  }

  /// For a command whose answer goes to standard output while the view goes to standard error.
  func sideView() throws -> any ActivityView {
    let console = context.console
    guard canDraw(on: STDERR_FILENO) else { return PlainView(console: console, isAnswer: false) }
    let theme = console.policy.errorTheme
    return try CardView(descriptor: STDERR_FILENO, context: context, theme: theme)
  }

  private func canDraw(on descriptor: Int32) -> Bool {
    let terminal = context.environment["TERM"] ?? ""
    return !isPlain && Terminal.isTerminal(descriptor) && !terminal.isEmpty && terminal != "dumb"
  }
}
