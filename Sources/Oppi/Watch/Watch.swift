// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiSystem
import OppiText

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

      A notification is shown when an agent waits for approval or for an answer, when that \
      request is about to expire, when a turn finishes or fails, and when a turn runs for over an \
      hour. Each session has one notification, which its next one replaces; many simultaneous \
      events share one. A notification is closed when its request is resolved elsewhere. \
      Notifications that need no action are limited to one per session in 30 minutes. Approve is \
      offered only if the whole call is in the notification, in plain ASCII, and it neither \
      deletes data nor has a high risk, and has no effect in the first second, in which the press \
      may have been meant for something else. A decision is reported after the server confirmed \
      it. Open, or a click, continues in 'oppi chat'.

      The setting 'notify.quiet' suppresses notifications for some hours of the day. \
      'notify.private' or --private hides content. 'notify.command' is run if there is no \
      desktop: it gets each notification as a JSON object on standard input, for example to forward it \
      with ntfy, gotify or mail.

      A request that stays pending can have further steps, each once, also if watch is started \
      again. After 'notify.again' its notification is shown again. After the same time once more, \
      'notify.escalate' is run: it gets the request as a JSON object on standard input, with the \
      members of 'oppi approvals show', type, at and pendingSince; its output is dropped, and it \
      is stopped after 10 s. After 'notify.deny-after', which a workspace can have for itself \
      ('oppi config set -w'), a call is denied and a dialog cancelled, if the server confirms \
      that it is still pending and unchanged; nothing is ever allowed. Times count from when watch \
      first sees the request. Quiet hours delay the first two steps, not a denial. A failed step \
      is reported and not repeated. Without these settings there are no such steps.

      A stream to each server is kept open, and while it is open servers send no push \
      notifications to phones. With --poll servers are only polled, and phones get push \
      notifications.

      Queued prompts are delivered when their server is available. Changed settings take effect \
      within seconds.

      Each alert, decision and delivery is also printed as a line, with --json as an object. The snapshot, status.json, \
      is for 'oppi status' and other programs; see 'oppi help files' for its path.
      """,
    examples: [
      ("oppi watch", "Watch in a terminal, or as a user service"),
      ("oppi watch --poll 30s", "Watch while a phone also gets push notifications"),
    ],
    exitStatuses: [0, 75, 78, 130, 143],
    members: AlertLine.shape.rows + [
      HelpRow(
        "state",
        "Of a decision: approved, denied, too-late, unknown or failed; else passed or failed"
      ),
      HelpRow("rule", "Of a decision by a setting: notify.deny-after"),
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
    _ = try context.pairedServers()
    try await WatchService.watch(
      { try context.servers() },
      by: try await Config.load(in: context),
      { try rules($0, options, in: context) },
      in: context.services,
      print: context.output.print
    )
    throw CancellationError()
  }

  private static func rules(
    _ settings: ConfigFile.Settings,
    _ options: Options,
    in context: Context
  ) throws -> WatchRules {
    let isPrivate = try settings.valueInEffect(of: .notifyPrivate) == BooleanSetting.true
    return WatchRules(
      poll: options.poll,
      quietHours: try settings.value(of: .notifyQuiet),
      command: try settings.value(of: .notifyCommand, as: ProgramLine.self)?.words,
      isSilent: options.isSilent,
      isPrivate: isPrivate || options.isPrivate,
      again: try settings.value(of: .notifyAgain, as: PendingTime.self)?.duration,
      escalationCommand: try settings.value(of: .notifyEscalate, as: ProgramLine.self)?.words,
      denyAfter: try denyAfter(settings, in: context)
    )
  }

  /// The rule of the setting for denials; `nil` if it is set nowhere.
  private static func denyAfter(
    _ settings: ConfigFile.Settings,
    in context: Context
  ) throws -> WatchRules.DenyAfter? {
    let key = ConfigKey.notifyDenyAfter
    let general: PendingTime? = try settings.value(of: key)
    let own = try settings.workspacesWithSettings().compactMap { name in
      try settings.value(of: key.inWorkspace(name), as: PendingTime.self)
    }
    guard general != nil || !own.isEmpty else { return nil }
    return { reference in
      guard let reference else { return general?.duration }
      let values = try await context.settings(settings, in: reference)
      return try values.value(of: key, as: PendingTime.self)?.duration
    }
  }
}

extension OppiError {
  static let watchRunsAlready = OppiError(
    .locked,
    "oppi watch is already running",
    hints: ["show the status with: oppi status"]
  )
}

extension TerminalWindow.Failure: ExplainedError {
  var explanation: OppiError {
    switch self {
    case .unreadableSetting(let text):
      OppiError(
        .badConfiguration,
        "$TERMINAL \(ProgramLine.expectation), not '\(text.safeLine())'"
      )
    }
  }
}
