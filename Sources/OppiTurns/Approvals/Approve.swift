// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
import OppiTerminal
import OppiWire

/// `oppi approve`: approves pending tool calls and dialogs.
package enum Approve {
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

  package static let command: Command = Command(
    "approve",
    "Approve a pending tool call or confirm a dialog",
    discussion: """
      ID is the id of a request, as listed by 'oppi approvals', or its first characters (at \
      least 4) if they are unique; SERVER/ID selects one of several servers. Read the full call first \
      with 'oppi approvals show ID'. A request is reported as approved only if the server confirmed \
      it. If it is no longer pending, or has changed since any command, bar or notification showed \
      it, the status is 5; if no request has the name, 66. A changed request can be approved after \
      'oppi approvals show' has shown it in full.

      A dialog of kind confirm is approved by a yes. A select is approved by its own choice if it \
      has exactly two choices, one that allows and one that refuses, such as Yes and No, or Allow \
      and Block. For other dialogs, the status is 65, and nothing is sent: use \
      'oppi answer ID VALUE'. It is also 65 for a request that is too long to be shown in full.

      --scope once applies to this call only. With --scope session, calls with exactly the same \
      command run without approval for the rest of the session; with --scope global, in all \
      sessions, until the rule is removed in 'oppi console'. Dialogs have no such scope.
      """,
    examples: [
      ("oppi approve 9T1aeoZLDYNQ", "Approve one call"),
      ("oppi approve --scope session 9T1a", "Approve the same call for the whole session"),
    ],
    exitStatuses: [0, 5, 6, 64, 65, 66, 69, 75, 76, 77, 78],
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

/// `oppi deny`: denies pending tool calls and cancels dialogs.
package enum Deny {
  struct Options: Sendable, Equatable {
    var isAll = false
    var workspace: String?
    var isAgreed = false
    var ids: [RequestName] = []
  }

  package static let command: Command = Command(
    "deny",
    "Deny a pending tool call or cancel a dialog",
    discussion: """
      ID is as for 'oppi approve'. The call does not run; the agent is informed and continues. \
      To stop its turn as well, use 'oppi stop'. A select that 'oppi approve' can approve gets its \
      own refusal, such as No. A question whether to trust a project is answered with Don't trust \
      (remember), because the server allows it if it is cancelled. Any other dialog is cancelled.

      With --all and -w, all pending calls of a workspace are denied and its dialogs cancelled. \
      They are listed first; on a terminal you must confirm, and without one --yes is required. \
      Requests that arrive after the list, dialogs of kind editor, which are not listed, and \
      requests of an unknown workspace are left. There is no such option of 'oppi approve': \
      requests are read and approved one by one.
      """,
    examples: [
      ("oppi deny 9T1aeoZLDYNQ", "Deny one call"),
      ("oppi deny 9T1a 4bW0", "Deny two calls"),
      ("oppi deny --all -w webapp", "Deny everything that is pending in a workspace"),
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

/// `oppi deny --all`: denies the pending requests of a workspace, as they were listed.
enum DenyAll {
  static func run(
    in word: String,
    isAgreed: Bool,
    _ context: Context
  ) async throws -> Report {
    let (fleet, workspace) = try await context.fleet(inWorkspace: word)
    let queue = try await ApprovalQueue.ask(fleet, in: context.services)
    if let error = FleetFailures(queue.answers).failure { throw error }
    let rows = queue.rows.filter { $0.workspaceID == workspace?.workspace.id }
    let unknown = queue.rows.count { $0.workspaceID == nil }
    guard !rows.isEmpty else {
      return Report(
        Decisions.shape.document(of: Decisions()),
        status: "no pending requests in this workspace",
        notes: notes(unknown)
      )
    }
    if !isAgreed { try await ask(about: rows, in: context) }
    var report = await Decisions(rows.map { (.decision(.deny), $0) }, in: context).fullReport
    report.notes += notes(unknown)
    return report
  }

  /// Lists the requests, and asks for the confirmation.
  private static func ask(about rows: [ListedRequest], in context: Context) async throws {
    let width = context.output.policy.width
    await context.services.remember(listed: rows.map(\.shown))
    if context.output.policy.form != .json {
      for line in ApprovalsList.lines(rows, width: width) { await context.output.status(line) }
    }
    let count = rows.count == 1 ? "this request" : "these \(rows.count) requests"
    try await context.confirm("Deny \(count)?", declined: "nothing was denied", unless: false)
  }

  private static func notes(_ unknown: Int) -> [Report.Note] {
    guard unknown > 0 else { return [] }
    let count = unknown == 1 ? "1 request" : "\(unknown) requests"
    return [.note("\(count) of an unknown workspace left; list with: oppi approvals")]
  }
}
