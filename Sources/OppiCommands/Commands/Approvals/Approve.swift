// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// `oppi approve`: lets tool calls run that wait for it.
enum Approve {
  struct Options: Sendable, Equatable {
    var scope = Scope.once
    var ids: [RequestName] = []
  }

  /// For what an approval holds.
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
    "Let a proposed tool call run",
    discussion: """
      An ID is that of a request, as 'oppi approvals' lists it, or its first characters, at least 4, \
      where no other begins so. Read the whole call first with 'oppi approvals show ID'. What is \
      printed as approved was confirmed by the server; one that was decided already, has expired or \
      is gone is told as such, with status 5.

      --scope once is for this call alone. With session, and with global for all sessions and until \
      the rule is removed on the server, calls with exactly the same command run without being asked \
      for.
      """,
    examples: [
      CommandExample("oppi approve 9T1aeoZLDYNQ", "Let one call run"),
      CommandExample("oppi approve --scope session 9T1a", "The same call again, too"),
    ],
    exitStatuses: [0, 5, 6, 64, 69, 75, 76, 77, 78],
    members: Decisions.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .option("scope", \.scope, "For what it holds"),
      .positional(
        "id",
        required: true,
        completion: .dynamic("approval"),
        \.ids,
        "The requests"
      ),
    ],
    run: { options, context in
      try await Decisions(options.scope.decision, on: options.ids, in: context).report
    }
  )
}
