// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiSystem
package import OppiTerminal
package import OppiText
package import OppiWire

extension DecisionOutcome {
  /// The state in the JSON of `oppi approve`, `oppi deny` and `oppi answer`.
  func commandState(of reply: RequestReply) -> String {
    switch self {
    case .decided: reply.past
    case .tooLate, .changed: "too-late"
    case .unconfirmed, .unknown: "unknown"
    }
  }

  /// The state in the JSON of `oppi watch`.
  package func watchState(of reply: RequestReply) -> String {
    self == .changed ? Self.failedState : commandState(of: reply)
  }

  /// The state in JSON if the reply did not reach the server.
  package static let failedState = "failed"

  /// The title of the notification after a button press.
  package func title(of reply: RequestReply) -> String {
    switch self {
    case .decided: reply.title
    case .tooLate: "No longer pending"
    case .changed: Self.title(because: "the request is now for a different call")
    case .unconfirmed, .unknown: reply.unconfirmedTitle
    }
  }

  /// The title of the notification if the reply did not reach the server.
  package static func title(because reason: String) -> String { "Not decided: \(reason)" }

  package static let noLongerPending = "no longer pending: already decided or expired"

  /// The notice in the chat and in the console.
  package func notice(of reply: RequestReply) -> String {
    switch (self, reply) {
    case (.decided, .decision(let decision)): decision.notice
    case (.tooLate, .decision): DecisionOutcome.noLongerPending
    case (.changed, .decision): "not decided: the request is now for a different call"
    case (.unconfirmed, .decision): "sent; this server does not confirm decisions"
    case (.unknown, .decision): "sent; the server did not confirm it"
    case (.decided, .answer), (.unconfirmed, .answer): reply.answerNotice
    case (.tooLate, .answer): QuestionText.settled
    case (.changed, .answer): "not answered: \(QuestionText.changed)"
    case (.unknown, .answer): "\(reply.answerNotice); the server did not confirm it"
    }
  }
}

extension RequestReply {
  /// The line about a reply that stays in the chat: the result, what was replied and to what, and
  /// when.
  package func line(
    about request: HumanRequest,
    _ outcome: DecisionOutcome,
    at moment: Timestamp
  ) -> StyledText {
    let tool = request.permission.map { RevealedText($0.tool).line } ?? ""
    let what = ["", "bash"].contains(tool) ? "" : "\(tool): "
    let text = "\(what)\(request.line.safeLine(limit: 300))"
    let time = LocalTime.minute(of: moment, seenAt: moment)
    return mark(of: outcome, about: request).line.with(StyledText(" \(text) · \(time)", .dim))
  }

  /// What became of the reply.
  private func mark(of outcome: DecisionOutcome, about request: HumanRequest) -> StatusMark {
    let words = words(for: request)
    return switch (outcome, self) {
    case (.decided, .decision(.deny)), (.decided, .answer(.cancelled)):
      StatusMark("✗", self == .decision(.deny) ? "denied" : "cancelled", .error)
    case (.decided, .decision(let decision)): StatusMark("✓", decision.notice, .success)
    case (.decided, .answer): StatusMark("✓", "answered: \(words) ·", .success)
    case (.tooLate, _): StatusMark("✗", "too late: \(words) ·", .warning)
    case (.changed, _): StatusMark("✗", "not sent, the request has changed:", .warning)
    case (.unconfirmed, _), (.unknown, _):
      StatusMark("?", "\(words), \(outcome.word):", .unknown)
    }
  }

  /// What was done, in JSON.
  package var past: String {
    switch self {
    case .decision(let decision): decision.past
    case .answer(let answer): answer == .cancelled ? "cancelled" : "answered"
    }
  }

  fileprivate var title: String {
    switch self {
    case .decision(.deny): "Denied"
    case .decision: "Approved"
    case .answer(.cancelled): "Cancelled"
    case .answer(.value(let text)): "Answered: \(text.safeLine(limit: 40))"
    case .answer(.confirmed(let yes)): "Answered: \(yes ? "yes" : "no")"
    case .answer: "Answered"
    }
  }

  fileprivate var unconfirmedTitle: String {
    if case .decision = self { "Decision not confirmed" } else { "Answer not confirmed" }
  }

  fileprivate var answerNotice: String {
    Self.answerNotice(isCancelled: self == .answer(.cancelled))
  }

  static func answerNotice(isCancelled: Bool) -> String {
    isCancelled ? "request cancelled" : "answer sent"
  }
}

extension PermissionDecision {
  fileprivate var notice: String {
    switch self {
    case .allow: "allowed once"
    case .allowForSession: "allowed for this session"
    case .allowEverywhere: "allowed everywhere"
    case .deny: "denied"
    }
  }

  /// The scope of the decision, in a table.
  var reach: String {
    switch self {
    case .allow, .deny: "once"
    case .allowForSession: "for the session"
    case .allowEverywhere: "for all sessions"
    }
  }
}

extension ApprovalPolicy.Obstacle {
  /// The line in the panel of a request.
  func notice(on request: HumanRequest) -> String {
    let isCall = request.kind == .permission
    return switch self {
    case .incomplete:
      "too long to be shown in full; you can only \(isCall ? "deny" : "cancel") it"
    case .notAllShown:
      "scroll through all of it (PageDown) before \(isCall ? "allowing" : "answering")"
    case .scopeNotOffered, .notShownInFull, .highRisk:
      "you cannot \(isCall ? "allow" : "answer") it here"
    }
  }
}

extension Risk {
  /// The estimate in everyday words; programs get ``Risk/word``.
  var label: String {
    switch self {
    case .read: "reads data"
    case .write: "makes changes"
    case .exfiltration: "sends data"
    case .destructive: "deletes data"
    case .high: "high risk"
    }
  }

  /// The estimate as a statement of its own, for example `risk: deletes data`.
  var statement: String { self == .high ? label : "risk: \(label)" }
}

extension PendingApproval {
  /// The risk of an approval, or what a request needs, as a symbol and words.
  package var mark: StatusMark {
    guard let risk else { return StatusMark(needs) }
    let words = needs == .approval ? risk.label : "\(needs.state), \(risk.label)"
    return switch risk {
    case .high, .destructive: StatusMark("▲", words, .error)
    case .exfiltration, .write: StatusMark("!", words, .warning)
    case .read: StatusMark("·", words, .dim)
    }
  }

  /// The tool and its call, or the text of a dialog.
  package var call: String { kind == .permission ? "\(tool): \(summary)" : summary }

  /// The risk as a statement; `nil` if it is unknown.
  package var riskStatement: String? { risk?.statement }
}

extension ShownRows {
  /// The visible rows, and how many were not yet shown; empty if all rows are visible.
  package var place: StyledText {
    guard visible.count < count else { return StyledText() }
    guard !visible.isEmpty else {
      return StyledText("window too small for the text", .warning)
    }
    let place = "rows \(visible.lowerBound + 1)-\(visible.upperBound) of \(count)"
    guard hiddenCount > 0 else { return StyledText(place, .dim) }
    let key = hasHiddenBelow ? "PageDown" : "PageUp"
    return StyledText("\(place), \(key): \(hiddenCount) more", .warning)
  }
}

/// A server's policy in words.
package enum PolicyText {
  /// The rules that are listed; a server has few.
  private static let limit = 200

  package static func lines(of policy: ServerPolicy) -> [StyledText] {
    let fallback = "Without a matching rule, a tool call is \(word(for: policy.fallback))."
    let rules = policy.rules.prefix(limit).map { line(of: $0) }
    let more = policy.rules.count - rules.count
    let rest = more > 0 ? [StyledText("\(more) more rules", .dim)] : []
    let none = rules.isEmpty ? [StyledText("no rules", .dim)] : []
    return [StyledText(fallback)] + rules + rest + none
  }

  /// The decision, the call, the scope and the expiry, on one line.
  package static func line(of rule: ServerPolicy.Rule) -> StyledText {
    var line = StyledText("\(mark(of: rule)) ")
    line.append(word(for: rule.decision))
    line.append(": \(rule.tool ?? "any tool"): \(rule.label)")
    line.append("  \(facts(of: rule).joined(separator: ", "))", .dim)
    return line
  }

  package static func detail(of rule: ServerPolicy.Rule) -> [StyledText] {
    [
      StyledText("\(rule.tool ?? "any tool"): \(rule.label)", .code),
      StyledText("\(mark(of: rule)) \(word(for: rule.decision))"),
      StyledText(facts(of: rule).joined(separator: ", "), .dim),
    ]
  }

  private static func facts(of rule: ServerPolicy.Rule) -> [String] {
    let place = rule.sessionID.map { "session \($0)" } ?? rule.scope
    let expiry = rule.expiresAt.map { "expires at \($0.iso8601) on the server's clock" }
    return [place, rule.source, expiry].compactMap(\.self).filter { !$0.isEmpty }
  }

  private static func mark(of rule: ServerPolicy.Rule) -> String {
    switch rule.decision {
    case "allow": "✓"
    case "deny": "✗"
    default: "?"
    }
  }

  private static func word(for decision: String) -> String {
    switch decision {
    case "allow": "allowed"
    case "deny": "denied"
    case "ask": "held until you approve it"
    default: decision
    }
  }
}

package enum GateNote {
  /// Returns one note about all servers that hold no tool calls for approval; `nil` if there are
  /// none, as far as is known.
  package static func text(
    of servers: [(name: String, requests: Dialect.Requests?)]
  ) -> String? {
    let names = servers.filter { $0.requests?.hasGate == false }
      .map { $0.name.safeLine(limit: 80) }
    guard !names.isEmpty else { return nil }
    return "\(names.joined(separator: ", ")): tools run without approval unless an extension asks"
  }
}
