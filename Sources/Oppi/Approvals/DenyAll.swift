// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// `oppi deny --all`: denies the pending requests of a workspace, as they were listed.
enum DenyAll {
  static func run(
    in word: String,
    isAgreed: Bool,
    _ context: Context
  ) async throws -> Report {
    let (fleet, workspace) = try await context.fleet(inWorkspace: word)
    let queue = try await ApprovalQueue.ask(fleet, in: context.intents)
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
    let width = context.console.policy.width
    if context.console.policy.form != .json {
      for line in ApprovalsList.lines(rows, width: width) { await context.console.status(line) }
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

extension ListedRequest {
  fileprivate var workspaceID: String? { request.workspaceID ?? session?.workspaceID }
}
