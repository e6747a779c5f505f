// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi console`: approvals, sessions, schedules and settings on the full screen.
enum ConsoleCommand {
  struct Options: Sendable, Equatable {
    var isReadOnly = false
  }

  static let command: Command = Command(
    "console",
    "Watch and steer everything on the full screen",
    discussion: """
      Shows what happened, what is pending and what needs action on all paired servers, on the \
      full screen. The tabs are selected with 1 to 5 and Tab. The footer shows the keys that work \
      now, and ? shows all keys. The number of pending requests is shown on the tab and in the \
      title of the window. Updates appear by themselves; r queries all servers at once.

      Approvals lists the requests of all servers: the highest risk first, then the earliest \
      expiry. New requests are added below while a row is selected, so that no row moves; Home \
      sorts the list. Enter shows a request in full. To decide, wait for 1 s, select with a letter \
      or an arrow and confirm with Enter. Nothing is selected at first, and you must scroll to the \
      end before allowing, as in 'oppi chat'. Decided and expired requests stay visible for 10 min.

      Servers that are unreachable or refuse access are shown in a banner with their age and a fix.

      With --read-only nothing can be changed. Leaving the console stops no agent.
      """,
    examples: [
      CommandExample("oppi console", "Open the console"),
      CommandExample("oppi console --read-only", "Watch without changing anything"),
    ],
    exitStatuses: [0, 6, 64, 78],
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("read-only", \.isReadOnly, "Disable all actions that change anything")
    ],
    run: run
  )

  /// The tabs, in order: a new tab is one file and one row here.
  ///
  /// `newID` returns unique ids.
  static func tabs(newID: @escaping @Sendable () -> String) -> [any ConsoleTab] {
    [ChatTab(newID: newID), ApprovalsTab(), WorkTab(), SchedulesTab(), SettingsTab()]
  }

  /// The tab that is shown first: what needs the user.
  static let firstTab = 1

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let isDumb = ["", "dumb"].contains(context.environment["TERM"] ?? "")
    guard context.console.policy.destination.isConversation, !isDumb else {
      throw OppiError.fullScreenNeeded
    }
    let servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    let screen = ConsoleScreen(
      tabs: tabs { [loop = context.loop] in loop.newID() },
      selected: firstTab,
      isReadOnly: options.isReadOnly,
      now: context.now()
    )
    try await ConsoleLoop(servers, in: context).run(screen)
    return .end()
  }
}

extension OppiError {
  static let fullScreenNeeded = OppiError(
    .usage,
    "the console requires a terminal with cursor control",
    hints: ["without one use: oppi status, oppi approvals, oppi sessions"]
  )

  static let unconfirmedChange = OppiError(
    .deliveryUnknown,
    "could not confirm your last decision or change",
    hints: ["check with: oppi approvals, oppi sessions"]
  )
}
