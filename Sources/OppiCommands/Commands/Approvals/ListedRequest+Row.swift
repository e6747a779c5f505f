// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// A request for approval as a row of text or JSON.
extension ListedRequest {
  var timeLeft: String {
    secondsLeft.map { "\(ElapsedTime.text(.seconds(max(1, $0)))) left" } ?? "no limit"
  }

  var riskText: StyledText {
    StyledText(approval.risk.word, approval.risk.isHigh ? .error : .warning)
  }

  // MARK: - JSON

  static let shape: JSONShape<ListedRequest> = [
    .member("id", "The request's id") { .string($0.approval.id) },
    .member("tool", "The tool to be called") { .string($0.approval.tool) },
    .member("risk", "The estimated risk: read, write, exfiltration, destructive or high") {
      .string($0.approval.risk.word)
    },
    .member("summary", "A summary of the call, on one line, truncated if long") {
      .string($0.approval.summary)
    },
    .member("input", "The full input of the call") { $0.request.input },
    .member("isWhole", "Whether input is complete; otherwise it can only be denied") {
      .bool($0.request.isWhole)
    },
    .member("reason", "The reason for the request, or null") {
      $0.approval.reason.map(JSONValue.string) ?? .null
    },
    .member("sessionId", "The session of the request, or null") {
      $0.request.sessionID.map(JSONValue.string) ?? .null
    },
    .member("goal", "The goal of that session, or null") {
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
    .member("expiresAt", "When it is auto-denied, on this machine's clock, or null") {
      $0.approval.expiresAt.map { .string($0.iso8601) } ?? .null
    },
    .member("secondsLeft", "The seconds left, or null") {
      $0.secondsLeft.map { .integer(Int64($0)) } ?? .null
    },
  ]
}
