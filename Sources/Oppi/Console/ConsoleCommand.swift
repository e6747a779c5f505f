// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiText
import OppiTurns

/// `oppi console`: approvals, sessions, schedules and settings on the full screen.
enum ConsoleCommand {
  struct Options: Sendable, Equatable {
    var isReadOnly = false
  }

  static let command: Command = Command(
    "console",
    "Open the console: approvals, sessions, schedules",
    discussion: """
      Shows on the full screen what happened, what is pending and what needs action on all paired \
      servers. On a terminal, 'oppi' without a command opens it, too. 1 to 7 and Tab select a tab:

        Now        what waits for you, what runs, what has ended, and the next run
        Approvals  the pending requests of all servers
        Work       the sessions of all servers, those that wait for you first
        Chat       the latest session, or one that 'c' opens in Work
        Schedules  the outbox, and the schedules of this machine and of the servers
        Costs      what prompts have cost, and how much of each budget is used
        Settings   access, devices, policy and decisions of each server; settings

      The footer shows the keys that work now; ? shows all keys, and typed text searches them; : \
      performs an action by its name. The setting 'keys' chooses other keys, and M switches the \
      mouse on and off. Updates appear by themselves; g queries all servers at once. The number of \
      pending requests is on the tab and in the title of the window. While another window has the \
      focus, a new request rings the bell and shows a notification, if the terminal supports that. \
      A banner names servers that are unreachable or refuse access.

      Lists are in order of urgency, and their first row is selected. No row moves while it is read: \
      new rows are added below, with a +, and Home sorts the list; o sorts by another column. In \
      Now, x and X remove ended turns from the list; the others stay for 7 days. / filters a list by \
      a text, // searches the conversations on the servers, and y copies the selected command or \
      name to the terminal's clipboard. Space marks rows: an action is then for all marked ones to \
      which it applies.

      To decide a request, press Enter on it, or on its session in Work or Now, to show it in full, \
      wait for 1 s, select with a letter or an arrow and confirm with Enter. Nothing is selected at \
      first, and all of it must have been on the screen before allowing, as in 'oppi chat'. A \
      question that an older server reports only in its session is shown and answered in Chat. \
      Decided and expired requests stay visible for 10 min.

      In Work, Enter shows the conversation, p the last turn, and l the past decisions; in a \
      conversation y copies the message, code block or command at the top of what is shown, as it \
      was written, and pressed again the next one; d shows the last edit whole. r sends a message, \
      n a prompt to a new session, and R shows the prompt of a failed turn to send it as a new \
      attempt; for marked sessions it asks once, and sends the prompt of each that failed. e renames \
      a session and D deletes it.

      A stop, a deletion, a change of a schedule, a revocation and the like ask first: after 1 s, y \
      selects the change and Enter confirms it, as soon as all of the question was on the screen. In \
      Chat, what you type is text for the agent; Esc, Ctrl-C or Ctrl-O switches to the keys of the \
      console, and Enter back; /resume and /open show another session there, and /new the form of \
      n. Leaving the console stops no agent; it waits briefly for confirmations. With --read-only \
      nothing can be changed.

      In Schedules, the prompts of the outbox stand above the schedules; the tab has the number of \
      those that failed, expired or may have run. R sends the selected prompt or runs the schedule \
      now, and D drops the prompt; both ask first. In Settings, Enter opens the line of a setting, \
      with its choices, of which Tab takes the first; the change is asked before it is saved.

      In the accessible mode and on a terminal without cursor control (TERM=dumb), the console is \
      a menu of numbered lines, with the same actions. See 'oppi help accessible'.
      """,
    examples: [
      ("oppi console", "Open the console"),
      ("oppi console --read-only", "Watch without changing anything"),
      ("oppi console --accessible", "Open the console as a menu of lines"),
    ],
    exitStatuses: [0, 6, 64, 78, 130, 143],
    members: shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("read-only", \.isReadOnly, "Disable all actions that change anything")
    ],
    run: run
  )

  /// The tabs, in order: a new tab is a ``ListSource`` and a row here.
  ///
  /// `newID` returns unique ids, and `moment` the time of day, if it is known.
  static func tabs(
    moment: @escaping @Sendable () -> Timestamp? = { nil },
    newID: @escaping @Sendable () -> String
  ) -> [any ConsoleTab] {
    [
      ListTab(NowSource()), ListTab(ApprovalsSource()), ListTab(WorkSource()),
      ChatTab(newID: newID, moment: moment), ListTab(SchedulesSource()), ListTab(CostsSource()),
      ListTab(SettingsSource()),
    ]
  }

  /// The tab that is shown first: what needs the user.
  static let firstTab = 0

  /// The number of changes whose results are unknown at the end.
  private static let shape: JSONShape<Int> = [
    .number("unconfirmed", "The number of changes without a confirmed result: 0 on success") { $0 }
  ]

  static func run(_ options: Options, in context: Context) async throws -> Report {
    guard context.output.policy.destination.isConversation else {
      throw OppiError(
        .usage,
        "the console requires a terminal",
        hints: ["without one use: oppi status, oppi approvals, oppi sessions"]
      )
    }
    let settings = try await Config.load(in: context)
    let context = try context.applying(settings)
    let policy = context.output.policy
    let servers = try context.pairedServers()
    if !policy.canDraw {
      await context.inWords.announceMode()
      await context.inWords.output.status("oppi console; waiting for the servers")
      let (now, loop) = (context.now(), context.loop)
      let face = try LineProgram(in: context) { width in
        ConsoleMenu(isReadOnly: options.isReadOnly, now: now, width: width) { loop.newID() }
      }
      try await ConsoleLoop(servers, in: context).run(face) { $0.screen }
    } else {
      let screen = ConsoleScreen(
        tabs: tabs(moment: { [loop = context.loop] in loop.timestamp() }) {
          [loop = context.loop] in loop.newID()
        },
        selected: firstTab,
        isReadOnly: options.isReadOnly,
        bindings: try ConsoleKeys.bindings(of: settings),
        look: policy.look,
        hasMouse: policy.capturesMouse,
        now: context.now()
      )
      try await ConsoleLoop(servers, in: context).run(screen)
    }
    return Report(shape.document(of: 0))
  }
}
