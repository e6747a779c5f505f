// SPDX-License-Identifier: MIT

/// What is known of a decision that was brought to a server.
package enum DecisionOutcome: Sendable, Equatable, CaseIterable {
  /// The server has confirmed it.
  case decided
  /// The request was already decided, has expired or is gone.
  case tooLate
  /// Another call is pending under the request's id; nothing was decided.
  case changed
  /// It was sent over a session's stream, where older servers confirm nothing: the call's next event
  /// shows it.
  case unconfirmed
  /// It was sent, and what came of it is unknown.
  case unknown

  /// Whether the request is known to be no longer pending.
  package var isSettled: Bool { self == .decided || self == .tooLate }
}

extension PermissionDecision {
  /// What a call is once the server has confirmed the decision: `approved` or `denied`.
  package var past: String { self == .deny ? "denied" : "approved" }
}
