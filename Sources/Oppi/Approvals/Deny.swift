// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// `oppi deny`: denies pending tool calls and cancels dialogs.
enum Deny {
  struct Options: Sendable, Equatable {
    var isAll = false
    var workspace: String?
    var isAgreed = false
    var ids: [RequestName] = []
  }

  static let command: Command = Command(
    "deny",
    "Deny a pending tool call or cancel a dialog",
    discussion: """
      ID is as for 'oppi approve'. The call does not run; the agent is informed and continues. \
      To stop its turn as well, use 'oppi stop'. A dialog of any kind is cancelled.

      With --all and -w, all pending calls of a workspace are denied and its dialogs cancelled. \
      They are listed first; on a terminal you must confirm, and without one --yes is required. \
      Requests that arrive after the list, dialogs of kind editor, which are not listed, and \
      requests of an unknown workspace are left. There is no such option of 'oppi approve': \
      requests are read and approved one by one.
      """,
    examples: [
      CommandExample("oppi deny 9T1aeoZLDYNQ", "Deny one call"),
      CommandExample("oppi deny 9T1a 4bW0", "Deny two calls"),
      CommandExample("oppi deny --all -w webapp", "Deny everything that is pending in a workspace"),
    ],
    exitStatuses: [0, 5, 6, 64, 66, 69, 75, 76, 77, 78, 130],
    members: Decisions.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .flag("all", \.isAll, "Deny all pending requests of the workspace"),
      .workspace(\.workspace, "With --all: the workspace"),
      .flag("yes", short: "y", \.isAgreed, "With --all: do not ask for confirmation"),
      .requests(required: false, \.ids),
    ],
    validate: { (options) throws(UsageError) in
      switch (options.isAll, options.ids.isEmpty) {
      case (false, true): throw UsageError(.missingPositional("ID"))
      case (true, false):
        throw UsageError(.contradiction("--all cannot be used with the ids of requests"))
      case (true, true):
        guard options.workspace != nil else {
          throw UsageError(.custom("--all requires a workspace: -w WORKSPACE"))
        }
      case (false, false):
        guard options.workspace == nil, !options.isAgreed else {
          throw UsageError(.contradiction("--workspace and --yes require --all"))
        }
      }
    },
    run: { options, context in
      guard let workspace = options.workspace else {
        return try await Decisions(.deny, on: options.ids, in: context).report
      }
      return try await DenyAll.run(in: workspace, isAgreed: options.isAgreed, context)
    }
  )
}
