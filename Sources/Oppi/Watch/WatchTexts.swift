// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The texts of `oppi watch`, for the desktop and for its output.
extension WatchRules {
  /// The notification text of an alert; `request` is `nil` if it cannot be identified for certain.
  func text(of alert: Alert, _ request: HumanRequest?, at now: Timestamp) -> AlertText {
    AlertText(alert, request: request, isPrivate: isPrivate) { moment in
      LocalTime.text(of: moment, seenAt: now)
    }
  }

  /// The object that the user's command gets for a request that stays pending.
  func document(
    of row: ListedRequest,
    pendingSince begin: Timestamp,
    at now: Timestamp
  ) -> JSONValue {
    let members = ListedRequest.shape.object(of: row)
    let shown = isPrivate ? members.filter { Self.publicMembers.contains($0.key) } : Array(members)
    let own: JSONObject = [
      "type": "request", "at": .string(now.iso8601), "pendingSince": .string(begin.iso8601),
    ]
    return .object(own.adding(JSONObject(shown)))
  }

  /// The members that are no contents of a request or of its session.
  private static let publicMembers: Set = [
    "id", "kind", "risk", "isWhole", "sessionId", "server", "expiresAt", "secondsLeft",
  ]

  /// The line after a request was passed to the user's command, or after the command failed.
  func line(onPassing row: ListedRequest, isSent: Bool, at now: Timestamp) -> Report {
    let words = isSent ? "passed to notify.escalate" : "not passed: notify.escalate failed"
    let text = isPrivate ? words : "\(words): \(row.approval.call)"
    let state = isSent ? "passed" : "failed"
    let document = Self.document("escalation", row.request, state: state, text: text, at: now)
    return .step([document], .lines([StyledText(text, .warning)]))
  }

  // MARK: - Decisions

  /// What a reply by a button, or by the setting `notify.deny-after` if `isAutomatic`, results in:
  /// the title and body of a notification, and a line.
  func result(
    of reply: RequestReply,
    to request: HumanRequest,
    _ result: Result<DecisionOutcome, any Error>,
    isAutomatic: Bool = false,
    at now: Timestamp
  ) -> (title: String, body: String, line: Report) {
    let title =
      switch result {
      case .success(.decided) where isAutomatic:
        "\(request.refusal == .answer(.cancelled) ? "Cancelled" : "Denied") by notify.deny-after"
      case .success(let outcome): outcome.title(of: isPrivate ? reply.withoutText : reply)
      case .failure(let error): DecisionOutcome.title(because: OppiError(error).message)
      }
    let body = isPrivate ? "" : request.line.safeLine(limit: 200)
    let document = Self.document(
      "decision",
      request,
      state: (try? result.get())?.watchState(of: reply) ?? DecisionOutcome.failedState,
      rule: isAutomatic ? "notify.deny-after" : nil,
      text: title,
      at: now
    )
    let text = body.isEmpty ? title : title.joined(by: ": ", to: body)
    let line = StyledText(text, isAutomatic ? .warning : .plain)
    return (title, body, .step([document], .lines([line])))
  }

  /// The JSON of a line about a request; `rule` is the setting by which it was decided, if any.
  private static func document(
    _ type: String,
    _ request: HumanRequest,
    state: String,
    rule: String? = nil,
    text: String,
    at now: Timestamp
  ) -> JSONValue {
    .object([
      "type": .string(type), "at": .string(now.iso8601), "requestId": .string(request.id),
      "state": .string(state), "rule": rule.map(JSONValue.string), "text": .string(text),
    ])
  }
}

extension FlushLine {
  /// The notification about a final result that needs attention; `nil` for other results.
  func notification(isPrivate: Bool) -> DesktopNotification? {
    guard case .tried(let attempt) = step, !attempt.prompt.isOpen, let failure else { return nil }
    let prompt = attempt.prompt
    let summary =
      switch prompt.state {
      case .unknown: "Delivery of a queued prompt is unknown"
      case .expired: "A queued prompt expired before delivery"
      default: "A queued prompt was refused"
      }
    var notification = DesktopNotification(tag: "outbox/\(prompt.key)", summary: summary)
    let words = prompt.content.text.safeLine(limit: 100)
    notification.body = isPrivate ? "" : "\(words)\n\(failure.message)"
    notification.withoutActions = "oppi outbox show \(prompt.key)"
    notification.category = "x-oppi.outbox"
    return notification
  }
}

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

  var report: Report { .step([Self.shape.document(of: self)], .lines([line])) }

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
    .optionalText("requestId", "The pending request, if any") { $0.alert.approval?.id },
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
