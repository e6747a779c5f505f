// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// An alert as it is printed.
struct AlertLine {
  let alert: Alert
  let text: AlertText
  let at: Timestamp

  var line: StyledText {
    let style: Style = alert.kind.isUrgent ? .warning : .plain
    var line = StyledText(text.summary, style)
    let rest = text.body.split(separator: "\n").joined(separator: "; ").safeLine(limit: 300)
    if !rest.isEmpty { line.append("  \(rest)", .dim) }
    return line
  }

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<AlertLine> = [
    .member("type", "alert") { _ in "alert" },
    .member("at", "When it was raised") { .string($0.at.iso8601) },
    .member("kind", "approval, expiring, question, finished, failed or running-long") {
      .string($0.alert.kind.word)
    },
    .member("text", "The same in words") { .string($0.line.plain) },
    .member("sessionId", "The session") { .string($0.alert.place.sessionID) },
    .member("requestId", "The request that waits for approval, where it is one") {
      ($0.alert.approval?.id).map(JSONValue.string)
    },
    .object("workspace", "The workspace", workspaceShape) { $0.alert },
    .object("server", "The server", serverShape) { $0.alert },
  ]

  private static let workspaceShape: JSONShape<Alert> = [
    .member("id", "Its composite id, or null") { alert in
      alert.session.workspaceID
        .flatMap { WorkspaceReference(serverID: alert.place.serverID, workspaceID: $0) }
        .map { .string($0.description) } ?? .null
    },
    .member("name", "Its name, or null") {
      $0.session.workspaceName.map(JSONValue.string) ?? .null
    },
  ]

  private static let serverShape: JSONShape<Alert> = [
    .member("id", "Its identity") { .string($0.place.serverID.text) },
    .member("name", "What it is called here") { .string($0.server) },
  ]
}
