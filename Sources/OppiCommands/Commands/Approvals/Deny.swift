// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// `oppi deny`: denies pending tool calls and cancels dialogs.
enum Deny {
  struct Options: Sendable, Equatable {
    var ids: [RequestName] = []
  }

  static let command: Command = Command(
    "deny",
    "Deny a pending tool call or cancel a dialog",
    discussion: """
      ID is as for 'oppi approve'. The call does not run; the agent is informed and continues. \
      To stop its turn as well, use 'oppi stop'. A dialog of any kind is cancelled.
      """,
    examples: [
      CommandExample("oppi deny 9T1aeoZLDYNQ", "Deny one call"),
      CommandExample("oppi deny 9T1a 4bW0", "Deny two calls"),
    ],
    exitStatuses: [0, 5, 6, 64, 69, 75, 76, 77, 78],
    members: Decisions.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [.requests(\.ids)],
    run: { options, context in
      try await Decisions(.deny, on: options.ids, in: context).report
    }
  )
}
