// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering

/// `oppi sessions delete`: deletes sessions that have not been used for a time.
enum SessionsDelete {
  struct Options: Sendable, Equatable {
    var age: Duration?
    var workspace: String?
    var isEverywhere = false
    var isDryRun = false
    var isAgreed = false
  }

  static let command: Command = Command(
    "delete",
    "Delete sessions that have not been used for a time",
    discussion: """
      Deletes the sessions of a workspace that were last active longer than --older ago, on their \
      server. The conversation of a deleted session is lost; its changes in the workspace stay. \
      Configured defaults do not apply: give -w, or --all-workspaces.

      A session is kept while a turn runs, while an approval or a question is pending, while a \
      prompt for it is in the outbox of this machine, and while its agent runs in a terminal on \
      the server. This is checked again right before each deletion; a session that is in use by \
      then is kept and reported.

      On a terminal the sessions are listed, and you must type yes; without a terminal --yes is \
      required. --dry-run only lists them. 'oppi show --all --markdown' exports a conversation.

      After three failures of a server its other sessions are not tried; --timeout limits the \
      total time. The first failure determines the exit status. In a pipe each line has, separated \
      by tabs: server/id, result (planned, deleted, gone, kept, failed or untried), reason, \
      workspace, last activity, changed lines and title.
      """,
    examples: [
      CommandExample("oppi sessions delete --older 30d -w api -n", "List the sessions to delete"),
      CommandExample("oppi sessions delete --older 30d -w api", "Delete them after a question"),
      CommandExample(
        "oppi sessions delete --older 90d --all-workspaces --yes",
        "Clean up in a cron job"
      ),
    ],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78, 130],
    members: SessionsDeleteReport.shape.rows,
    options: Options(),
    arguments: [
      .option("older", \.age, "Only sessions last active longer ago, for example 30d"),
      .workspace(\.workspace, "Only sessions of this workspace"),
      .flag("all-workspaces", \.isEverywhere, "Sessions of all workspaces of all servers"),
      .flag("dry-run", short: "n", \.isDryRun, "List the sessions, without deleting them"),
      .flag("yes", short: "y", \.isAgreed, "Do not ask for confirmation"),
    ],
    validate: { (options) throws(UsageError) in
      guard let age = options.age else {
        throw UsageError(
          .custom("--older is required"),
          hint: "for example: oppi sessions delete --older 30d -w WORKSPACE"
        )
      }
      guard age >= DeleteSessions.leastAge else {
        throw UsageError(.custom("--older expects 1m or more"))
      }
      guard options.isEverywhere || options.workspace != nil else {
        throw UsageError(.custom("give a workspace with -w, or --all-workspaces"))
      }
      guard !options.isEverywhere || options.workspace == nil else {
        throw UsageError(.contradiction("give either -w or --all-workspaces"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (fleet, workspace) = try await context.fleet(inWorkspace: options.workspace)
    let flow = DeleteSessions(
      fleet,
      inWorkspace: workspace?.workspace.id,
      olderThan: options.age ?? .zero,
      in: context.intents
    )
    let answers = try await flow.candidates()
    let candidates = answers.sorted { $0.server.name < $1.server.name }
      .flatMap { (try? $0.result.get()) ?? [] }
    var deletion = SessionsDeleteReport(
      planned: candidates,
      failures: FleetFailures(answers),
      now: context.now()
    )
    let chosen = candidates.filter { $0.obstacle == nil }
    guard !options.isDryRun, !chosen.isEmpty else { return deletion.report }
    if !options.isAgreed { try await ask(deletion, chosen.count, in: context) }
    deletion.take(try await flow.delete(chosen))
    return deletion.report
  }

  /// Shows the sessions and asks for the word yes.
  private static func ask(
    _ deletion: SessionsDeleteReport,
    _ count: Int,
    in context: Context
  ) async throws {
    try context.checkCanConfirm()
    for line in deletion.table.lines(width: context.console.policy.width) {
      await context.console.status(line)
    }
    let sessions = count.counted("session")
    try await context.confirm(
      "Delete \(sessions)? The conversations are lost; changes in the workspaces stay.",
      declined: "nothing was deleted",
      by: "yes",
      unless: false
    )
  }
}
