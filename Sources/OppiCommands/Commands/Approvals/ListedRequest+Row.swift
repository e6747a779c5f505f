// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// A request for approval as a row for people and for programs.
extension ListedRequest {
  var timeLeft: String {
    secondsLeft.map { "\(ElapsedTime.text(.seconds(max(1, $0)))) left" } ?? "no limit"
  }

  var riskText: StyledText {
    StyledText(approval.risk.word, approval.risk.isHigh ? .error : .warning)
  }

  // MARK: - For programs

  static let shape: JSONShape<ListedRequest> = [
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
