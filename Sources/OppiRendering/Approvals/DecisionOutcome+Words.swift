// SPDX-License-Identifier: MIT

package import OppiModel

extension DecisionOutcome {
  /// The state in the JSON of `oppi approve`, `oppi deny` and `oppi answer`.
  package func commandState(of reply: RequestReply) -> String {
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

  /// The notice in the chat.
  package func notice(of reply: RequestReply) -> String {
    switch reply {
    case .decision(let decision): notice(of: decision)
    case .answer(let answer): notice(of: answer)
    }
  }

  /// The line in the chat after an answer to a question.
  package func notice(of answer: QuestionAnswer) -> String {
    let words = answer == .cancelled ? "question cancelled" : "answer sent"
    return switch self {
    case .decided, .unconfirmed: words
    case .tooLate: QuestionText.settled
    case .changed: "not answered: \(QuestionText.changed)"
    case .unknown: "\(words); the server did not confirm it"
    }
  }

  /// The line in the chat.
  package func notice(of decision: PermissionDecision) -> String {
    switch self {
    case .decided: decision.notice
    case .tooLate: "no longer pending: already decided or expired"
    case .changed: "not decided: the request is now for a different call"
    case .unconfirmed: "sent; this server does not confirm decisions"
    case .unknown: "sent; the server did not confirm it"
    }
  }
}

extension RequestReply {
  /// The line about a reply that stays in the chat: what was replied, the result, and to what.
  package func line(about request: HumanRequest, _ outcome: DecisionOutcome) -> StyledText {
    let (noun, tool) =
      request.permission.map { ("decision", "\(RevealedText($0.tool).line): ") } ?? ("answer", "")
    let what = tool + request.line.safeLine(limit: 300)
    return StyledText("your \(noun): \(words(for: request)), \(outcome.word): \(what)", .dim)
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
    switch self {
    case .decision: "Decision not confirmed"
    case .answer: "Answer not confirmed"
    }
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
  package var reach: String {
    switch self {
    case .allow, .deny: "once"
    case .allowForSession: "for the session"
    case .allowEverywhere: "for all sessions"
    }
  }
}

extension ApprovalPolicy.Obstacle {
  /// The line in the chat.
  package var notice: String {
    switch self {
    case .incomplete: "too long to be shown in full; you can only deny it"
    case .notAllShown: "scroll through all of it (PageDown) before allowing"
    case .scopeNotOffered, .notShownInFull, .highRisk: "you cannot allow it here"
    }
  }

  /// The line in the chat about a question.
  package var noticeForQuestion: String {
    switch self {
    case .incomplete: "too long to be shown in full; you can only cancel it"
    case .notAllShown: "scroll through all of it (PageDown) before answering"
    case .scopeNotOffered, .notShownInFull, .highRisk: "you cannot answer it here"
    }
  }
}
