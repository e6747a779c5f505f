// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// A request for approval with where it comes from, as a row for people and for programs.
struct ApprovalRow: Sendable {
  let server: PairedServer
  let request: PermissionRequest
  let approval: PendingApproval
  /// The session that asks; `nil` where the server tells nothing of it.
  let session: Session?
  /// Its workspace, as it was seen last.
  var workspace: Workspace?
  /// How long there was to decide; `nil` where that is not known.
  let patience: Duration?
  let now: Timestamp

  /// All that wait on a server.
  static func all(in overview: ServerOverview, at now: Timestamp) -> [ApprovalRow] {
    overview.requests.map { request in
      let session = overview.session(of: request)
      // Nothing happens in a session that waits: the last that did was the request.
      let asked = session?.lastActivity
      return ApprovalRow(
        server: overview.server,
        request: request,
        approval: overview.listed(request),
        session: session,
        patience: request.timeoutAt.flatMap { end in
          asked.map { .milliseconds(max(0, end.milliseconds - $0.milliseconds)) }
        },
        now: now
      )
    }
  }

  /// How many seconds are left; `nil` where it never expires.
  var secondsLeft: Int? { approval.secondsLeft(at: now) }

  /// Whether little time is left: under an hour, or the last quarter of a shorter time.
  var isExpiring: Bool {
    guard let secondsLeft else { return false }
    let hour = Duration.seconds(3600)
    guard let patience, patience <= hour else { return .seconds(secondsLeft) < hour }
    return .seconds(secondsLeft) < patience / 4
  }

  /// The session by what it is about, else by its id.
  var source: String { session?.goal ?? request.sessionID?.safeLine(limit: 40) ?? "" }

  var timeLeft: String {
    secondsLeft.map { "\(ElapsedTime.text(.seconds(max(1, $0)))) left" } ?? "no limit"
  }

  var riskText: StyledText {
    StyledText(approval.risk.word, approval.risk.isHigh ? .error : .warning)
  }

  // MARK: - For programs

  static let shape: JSONShape<ApprovalRow> = [
    .member("id", "The request's id") { .string($0.approval.id) },
    .member("tool", "The tool that would run") { .string($0.approval.tool) },
    .member("risk", "What it may do at worst: read, write, exfiltration, destructive or high") {
      .string($0.approval.risk.word)
    },
    .member("summary", "What it would do, on one line; of a long one the start") {
      .string($0.approval.summary)
    },
    .member("input", "All that the tool would be called with") { $0.request.input },
    .member("isWhole", "Whether that is all; a part can only be denied") {
      .bool($0.request.isWhole)
    },
    .member("reason", "Why it is asked, or null") {
      $0.approval.reason.map(JSONValue.string) ?? .null
    },
    .member("sessionId", "The session that asks, or null") {
      $0.request.sessionID.map(JSONValue.string) ?? .null
    },
    .member("goal", "What that session is about, or null") {
      $0.session?.goal.map(JSONValue.string) ?? .null
    },
    .workspace { row in
      WorkspaceLabel(
        server: row.server,
        id: row.request.workspaceID ?? row.session?.workspaceID,
        name: row.session?.workspaceName
      )
    },
    .server { $0.server },
    .member("expiresAt", "When it is denied by itself, on this machine's clock, or null") {
      $0.approval.expiresAt.map { .string($0.iso8601) } ?? .null
    },
    .member("secondsLeft", "How many seconds are left, or null") {
      $0.secondsLeft.map { .integer(Int64($0)) } ?? .null
    },
  ]
}
