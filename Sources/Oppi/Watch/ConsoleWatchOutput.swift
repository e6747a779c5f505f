// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTerminal

/// The texts of `oppi watch`, for the desktop and for its output.
struct ConsoleWatchOutput: WatchOutput {
  let output: Output
  /// Whether notifications leave out prompts, answers and commands.
  let isPrivate: Bool
  let now: @Sendable () -> Timestamp

  func text(of alert: Alert, _ request: HumanRequest?, at now: Timestamp) -> AlertText {
    AlertText(alert, request: request, isPrivate: isPrivate) { moment in
      LocalTime.text(of: moment, seenAt: now)
    }
  }

  func text(of alerts: [Alert]) -> AlertText { AlertText(alerts, isPrivate: isPrivate) }

  func note(on press: WatchPress) -> (title: String, body: String) {
    switch press {
    case .outdated: (DecisionOutcome.title(because: "the notification was outdated"), "")
    case .hasty: (DecisionOutcome.title(because: "pressed too soon after it was shown"), "")
    case .decided(let reply, let request, let result):
      (title(of: result, reply), isPrivate ? "" : request.line.safeLine(limit: 200))
    }
  }

  private func title(
    of result: Result<DecisionOutcome, any Error>,
    _ reply: RequestReply
  ) -> String {
    switch result {
    case .success(let outcome): outcome.title(of: isPrivate ? reply.withoutText : reply)
    case .failure(let error): DecisionOutcome.title(because: OppiError(error).message)
    }
  }

  func note(
    onDenialOf row: ListedRequest,
    _ result: Result<DecisionOutcome, any Error>
  ) -> (title: String, body: String) {
    let reply = RequestReply.decision(.deny)
    let body = isPrivate ? "" : row.request.line.safeLine(limit: 200)
    guard case .success(.decided) = result else { return (title(of: result, reply), body) }
    let word = row.request.question == nil ? "Denied" : "Cancelled"
    return ("\(word) by notify.deny-after", body)
  }

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

  func notification(of news: WatchOutbox.News) -> DesktopNotification? {
    news.notification(isPrivate: isPrivate)
  }

  func report(_ event: WatchEvent) async throws {
    switch event {
    case .alert(let alert, let text, let at):
      let line = AlertLine(alert: alert, text: text, at: at)
      try await output.print([line.document], or: [line.line])
    case .press(let press): try await report(press)
    case .serverBack(let name):
      try await output.print(.step(status: StyledText("\(name) is available again")))
    case .outbox(let news): try await output.print(news.report)
    case .passed(let row, let isSent, let at):
      let words = isSent ? "passed to notify.escalate" : "not passed: notify.escalate failed"
      let text = isPrivate ? words : "\(words): \(row.approval.call)"
      let state = isSent ? "passed" : "failed"
      let document = RequestLine(id: row.request.id, at: at, state: state, text: text)
      try await output.print([document.json("escalation")], or: [StyledText(text, .warning)])
    case .denied(let row, let result, let at):
      let (title, body) = note(onDenialOf: row, result)
      let outcome = try? result.get()
      let state = outcome?.watchState(of: .decision(.deny)) ?? DecisionOutcome.failedState
      let text = StyledText(body.isEmpty ? title : title.joined(by: ": ", to: body), .warning)
      let rule = "notify.deny-after"
      let document = RequestLine(id: row.request.id, at: at, state: state, text: title, rule: rule)
      try await output.print([document.json("decision")], or: [text])
    }
  }

  private func report(_ press: WatchPress) async throws {
    let (title, body) = note(on: press)
    guard case .decided(let reply, let request, let result) = press else {
      return try await output.print(.step(status: StyledText(title, .warning)))
    }
    let outcome = try? result.get()
    let state = outcome?.watchState(of: reply) ?? DecisionOutcome.failedState
    let document = RequestLine(id: request.id, at: now(), state: state, text: title)
    let text = StyledText(title.joined(by: ": ", to: body))
    try await output.print([document.json("decision")], or: [text])
  }
}

extension FlushLine {
  /// The notification about a final result that needs attention; `nil` for other results.
  fileprivate func notification(isPrivate: Bool) -> DesktopNotification? {
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

/// A line of JSON about what was done with a request.
private struct RequestLine {
  let id: String
  let at: Timestamp
  let state: String
  let text: String
  /// The setting by which it was done, if any.
  var rule: String?

  func json(_ type: String) -> JSONValue {
    .object([
      "type": .string(type), "at": .string(at.iso8601), "requestId": .string(id),
      "state": .string(state), "rule": rule.map(JSONValue.string), "text": .string(text),
    ])
  }
}
