// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// `oppi approve`: approves pending tool calls and confirms dialogs.
enum Approve {
  struct Options: Sendable, Equatable {
    var scope = Scope.once
    var ids: [RequestName] = []
  }

  enum Scope: String, Sendable, CaseIterable, ArgumentValue {
    case once
    case session
    case global

    static var placeholder: String { "SCOPE" }

    var decision: PermissionDecision {
      switch self {
      case .once: .allow
      case .session: .allowForSession
      case .global: .allowEverywhere
      }
    }
  }

  static let command: Command = Command(
    "approve",
    "Approve a pending tool call or confirm a dialog",
    discussion: """
      ID is the id of a request, as listed by 'oppi approvals', or its first characters (at \
      least 4) if they are unique. Read the full call first with 'oppi approvals show ID'. A \
      request is reported as approved only if the server confirmed it. If it is no longer \
      pending, the status is 5; if no request has the name, 66.

      A dialog of kind confirm is approved by a yes. Other dialogs need an answer; approving one \
      is an error, whatever its options are named. Use 'oppi answer ID VALUE'.

      --scope once applies to this call only. With --scope session, calls with exactly the same \
      command run without approval for the rest of the session; with --scope global, in all \
      sessions, until the rule is removed in 'oppi console'. Dialogs have no such scope.
      """,
    examples: [
      CommandExample("oppi approve 9T1aeoZLDYNQ", "Approve one call"),
      CommandExample(
        "oppi approve --scope session 9T1a",
        "Approve the same call for the whole session"
      ),
    ],
    exitStatuses: [0, 5, 6, 64, 66, 69, 75, 76, 77, 78],
    members: Decisions.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .option("scope", \.scope, "Set the scope of the approval"),
      .refused("all", "there is no --all: requests are read and approved one by one"),
      .requests(\.ids),
    ],
    run: { options, context in
      try await Decisions(options.scope.decision, on: options.ids, in: context).report
    }
  )
}
