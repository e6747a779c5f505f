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
    "Show notifications and update the status snapshot",
    discussion: """
      Runs until stopped and watches all sessions of all paired servers. It starts no agents and \
      loads no sessions. As a systemd user service it reports when it is ready and alive (oppi \
      examples show systemd).

      A notification is shown when a call needs approval, when that approval is about to expire, \
      when an agent asks a question, when a turn finishes or fails, and when a turn runs for over \
      an hour. Each session has one notification, which its next one replaces; many simultaneous \
      events share one. A notification is closed when its request is resolved elsewhere. \
      Notifications that need no action are limited to one per session in 30 minutes. Approve is \
      offered only if the whole call is in the notification, in plain ASCII, and it neither \
      deletes data nor has a high risk; a decision is reported after the server confirmed it. Open, or a click, \
      continues in 'oppi chat'.

      The setting 'notify.quiet' suppresses notifications for some hours of the day. \
      'notify.private' or --private hides content. 'notify.command' is run if there is no \
      desktop: it gets each notification as a JSON object on standard input, for example to forward it \
      with ntfy, gotify or mail.

      A stream to each server is kept open, and while it is open servers send no push \
      notifications to phones. With --poll servers are only polled, and phones get push \
      notifications.

      Queued prompts are delivered when their server is available.

      Each alert, decision and delivery is also printed as a line, with --json as an object. The snapshot, status.json, \
      is for 'oppi status' and other programs; see 'oppi help files' for its path.
      """,
    examples: [
      CommandExample("oppi watch", "Watch in a terminal, or as a user service"),
      CommandExample("oppi watch --poll 30s", "Watch while a phone also gets push notifications"),
    ],
    exitStatuses: [0, 75, 78, 130, 143],
    members: AlertLine.shape.rows + [
      HelpRow("state", "Of a decision: approved, denied, too-late, unknown or failed")
    ],
    group: Group.watching,
    options: Options(),
    arguments: [
      .option("poll", \.poll, "Poll servers at this interval instead; at least 5s"),
      .flag("private", \.isPrivate, "Hide content in notifications"),
      .flag("no-notifications", \.isSilent, "Print alerts and update the snapshot only"),
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
