// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiTurns
import OppiWire

/// The text of a notification.
struct AlertText: Sendable, Equatable {
  /// One line, safe to show.
  var summary: String
  /// Several lines, safe to show.
  var body: String
  /// The buttons.
  var actions: [ApprovalPolicy.Offer]

  init(
    _ summary: String,
    _ body: [String] = [],
    actions: [ApprovalPolicy.Offer] = [.open]
  ) {
    self.summary = summary
    self.body = body.filter { !$0.isEmpty }.joined(separator: "\n")
    self.actions = actions
  }
}

extension AlertText {
  private static let lineLimit = 8

  /// Creates the text of an alert; a button that lets the agent continue is offered only if
  /// ``ApprovalPolicy`` allows it.
  ///
  /// `request` is the complete request if the alert is about one. If `isPrivate`, the text has no
  /// contents of the session and offers no such button. `clock` formats a time: notifications
  /// stay on the screen, so a remaining time would soon be wrong.
  init(
    _ alert: Alert,
    request: HumanRequest? = nil,
    isPrivate: Bool = false,
    clock: (Timestamp) -> String
  ) {
    guard !isPrivate else {
      self.init(Self.title(of: alert.kind), [alert.server])
      return
    }
    let title = "\(Self.title(of: alert.kind)): \(Self.place(of: alert))"
    switch alert.kind {
    case .approval(let approval, let count), .expiring(let approval, let count),
      .again(let approval, let count):
      self.init(title, approval, of: count, request, alert, clock)
    case .question(let question): self.init(title, [question.text, Self.goal(of: alert)])
    case .finished: self.init(title, [Self.goal(of: alert)])
    case .failed(let reason):
      self.init(title, [Self.words(for: reason, alert, clock), Self.goal(of: alert)])
    case .runningLong:
      self.init(title, [Self.goal(of: alert), alert.session.turn?.operation ?? ""])
    }
  }

  init(_ alerts: [Alert], isPrivate: Bool = false) {
    let lines = alerts.prefix(Self.lineLimit).map { alert in
      [
        "\(Self.title(of: alert.kind)): \(Self.place(of: alert))".safeLine(limit: 80),
        alert.session.goal?.safeLine(limit: 40),
      ]
      .compactMap(\.self).joined(separator: ", ")
    }
    let rest = alerts.count - lines.count
    let body = isPrivate ? [] : lines + (rest > 0 ? ["and \(rest) more"] : [])
    self.init("\(alerts.count) session updates", body, actions: [])
  }

  private init(
    _ title: String,
    _ approval: PendingApproval,
    of count: Int,
    _ request: HumanRequest?,
    _ alert: Alert,
    _ clock: (Timestamp) -> String
  ) {
    let whole = request.flatMap(ApprovalPolicy.shortLines)
    let refusal = request.map { [$0.offeredRefusal] } ?? []
    let actions = Self.replies(to: approval, request) + refusal + [.open]
    let call = request.map(Self.lines) ?? [approval.call.safeLine(limit: 160)]
    let words = request?.expiry ?? approval.kind.expiry
    let end = approval.expiresAt.map { "\(words) at \(clock($0))" }
    let about = [approval.riskStatement, approval.reason, end].compactMap(\.self)
    self.init(
      title,
      call + [
        about.joined(separator: ", "),
        whole == nil ? "Truncated; full text: oppi approvals show \(approval.id)" : "",
        count > 1 ? "and \(count - 1) more in this session" : "", Self.goal(of: alert),
      ],
      actions: actions
    )
  }

  /// Why a turn failed; for a usage limit, which the title states, when it is reset.
  private static func words(
    for reason: String,
    _ alert: Alert,
    _ clock: (Timestamp) -> String
  ) -> String {
    guard let limit = UsageLimit(statedIn: reason) else { return reason }
    return alert.session.turn?.resetAt.map { "resets \(clock($0))" } ?? limit.statement
  }

  /// A request on its own lines, the first ones of a long one.
  private static func lines(of request: HumanRequest) -> [String] {
    let head = request.permission.map { "\(RevealedText($0.tool).line):" }
    let lines =
      ApprovalPolicy.shortLines(of: request)
      ?? request.lines.prefix(3).map { $0.safeLine(limit: 80) }
    return [head].compactMap(\.self) + lines
  }

  /// The replies other than the refusal that buttons offer.
  private static func replies(
    to approval: PendingApproval,
    _ request: HumanRequest?
  ) -> [ApprovalPolicy.Offer] {
    guard let request else { return [] }
    return ApprovalPolicy.offers(to: request, on: .notification(listedRisk: approval.risk))
  }

  private static func title(of kind: Alert.Kind) -> String {
    switch kind {
    case .approval(let approval, _): approval.needs.title
    case .again(let approval, _): "Still \(approval.needs.state)"
    case .expiring(let approval, _) where approval.needs == .answer: "Question about to expire"
    case .expiring: "Approval about to expire"
    case .question: RequestNeed.answer.title
    case .finished(.stopped): "Turn stopped"
    case .finished(.unknown): "Turn ended, outcome unknown"
    case .finished: "Turn finished"
    case .failed(let reason) where UsageLimit(statedIn: reason) != nil: "Usage limit reached"
    case .failed: "Turn failed"
    case .runningLong: "Running for over an hour"
    }
  }

  /// The server and the workspace: `studio/webapp`.
  private static func place(of alert: Alert) -> String {
    "\(alert.server)/\(alert.session.workspaceName ?? alert.session.id)"
  }

  private static func goal(of alert: Alert) -> String {
    alert.session.goal?.safeLine(limit: 100) ?? ""
  }
}
