// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi watch`: the user's background service for notifications and the status snapshot.
enum Watch {
  struct Options: Sendable, Equatable {
    var poll: Duration?
    var isPrivate = false
    var isSilent = false
  }

  static let command: Command = Command(
    "watch",
    "Raise notifications, and keep the snapshot for bars",
    discussion: """
      Stays, and looks at all sessions of all paired servers whenever something has happened there. \
      It starts no agents and takes no places. Under a user's systemd it tells when it is ready and \
      alive (oppi examples show systemd).

      A notification is raised when a call needs approval, when that is about to expire, when an \
      agent asks a question, when a turn has finished or failed, and when one has run for over an \
      hour: one for each session, which the next replaces, and a single one where many come at once. \
      It is withdrawn when somebody else has answered. What needs nobody is told of a session at \
      most every 30 minutes. Approve is offered only where the whole call is in the notification, in \
      plain ASCII, and its risk is not destructive or high; what was decided is said once the server has confirmed \
      it. Open, and a click, go on in 'oppi chat'.

      The setting notify.quiet holds everything back for some hours of the day, notify.private \
      or --private shows nothing of what is said and done, and notify.command is run where there is \
      no desktop: it gets each notification as a JSON object on its standard input, to be passed on \
      by ntfy, gotify or mail.

      A stream to each server is kept open, and servers send no pushes to phones while one is. With \
      --poll servers are only asked so often, and phones are told as ever.

      What waits in the outbox is delivered when its server is there, and when it is back.

      Each alert is printed on a line, too, with --json as an object. The snapshot, status.json, is \
      for 'oppi status' and for other programs; 'oppi help files' says where it is.
      """,
    examples: [
      CommandExample("oppi watch", "In a terminal, or as a user service"),
      CommandExample("oppi watch --poll 30s", "Beside a phone that is to be told, too"),
    ],
    exitStatuses: [0, 75, 78, 130, 143],
    members: AlertLine.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .option("poll", \.poll, "Only ask servers, so often; 5s at least"),
      .flag("private", \.isPrivate, "Show no content in notifications"),
      .flag("no-notifications", \.isSilent, "Keep the snapshot, and print alerts alone"),
    ],
    validate: { (options) throws(UsageError) in
      if let poll = options.poll, poll < .seconds(5) {
        throw UsageError(.custom("--poll expects 5s or more"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    guard !(try context.servers()).isEmpty else { throw IntentError.notPaired }
    let settings = try await Config.load(in: context)
    let isPrivate =
      try settings.value(of: .notifyPrivate) == Truth.true || options.isPrivate
    let rules = WatchRules(
      way: options.poll.map(ServerWatch.Way.poll) ?? .stream,
      quietHours: try settings.value(of: .notifyQuiet),
      command: try settings.value(of: .notifyCommand, as: ProgramLine.self)?.words,
      isSilent: options.isSilent
    )
    try await WatchRoom.watch(
      { try context.servers() },
      by: rules,
      telling: WatchVoice(console: context.console, isPrivate: isPrivate, now: context.intents.now),
      in: context.intents
    )
    throw CancellationError()
  }
}
