// SPDX-License-Identifier: MIT

package import OppiModel

extension DecisionOutcome {
  /// The state in the JSON of `oppi approve` and `oppi deny`.
  package func commandState(of decision: PermissionDecision) -> String {
    switch self {
    case .decided: decision.past
    case .tooLate, .changed: "too-late"
    case .unconfirmed, .unknown: "unknown"
    }
  }

  /// The state in the JSON of `oppi watch`.
  package func watchState(of decision: PermissionDecision) -> String {
    self == .changed ? Self.failedState : commandState(of: decision)
  }

  /// The state in JSON if the decision did not reach the server.
  package static let failedState = "failed"

  /// The title of the notification after a button press.
  package func title(of decision: PermissionDecision) -> String {
    switch self {
    case .decided: decision == .deny ? "Denied" : "Approved"
    case .tooLate: "No longer pending"
    case .changed: Self.title(because: "the request is now for a different call")
    case .unconfirmed, .unknown: "Decision not confirmed"
    }
  }

  /// The title of the notification if the decision did not reach the server.
  package static func title(because reason: String) -> String { "Not decided: \(reason)" }

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
    case .endNotSeen: "scroll to the end (PageDown) before allowing"
    case .scopeNotOffered, .notShownInFull, .highRisk: "you cannot allow it here"
    }
  }
}
