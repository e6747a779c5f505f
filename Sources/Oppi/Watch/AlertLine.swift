// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

struct AlertLine {
  let alert: Alert
  let text: AlertText
  let at: Timestamp

  var line: StyledText {
    let style: Style = alert.kind.isUrgent ? .warning : .plain
    var line = StyledText(text.summary, style)
    let rest = text.body.split(separator: "\n").map(String.init).sentence().safeLine(limit: 300)
    if !rest.isEmpty { line.append("  \(rest)", .dim) }
    return line
  }

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<AlertLine> = [
    .member(
      "type",
      "alert, escalation, or decision on a request; for a queued prompt as in outbox flush"
    ) { _ in "alert" },
    .text("at", "When it occurred") { $0.at.iso8601 },
    .text("kind", "approval, expiring, again, question, finished, failed or running-long") {
      $0.alert.kind.word
    },
    .text("text", "The line as text") { $0.line.plain },
    .text("sessionId", "The session") { $0.alert.place.sessionID },
    .member("requestId", "The pending request, if any") {
      ($0.alert.approval?.id).map(JSONValue.string)
    },
    .workspace { line in
      let session = line.alert.session
      return WorkspaceLabel(
        serverID: line.alert.place.serverID,
        id: session.workspaceID,
        name: session.workspaceName
      )
    },
    .server(id: { $0.alert.place.serverID }, name: { $0.alert.server }),
  ]
}
