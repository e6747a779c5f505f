// SPDX-License-Identifier: MIT

/// What is known about a decision after sending it.
package enum DecisionOutcome: Sendable, Equatable, CaseIterable {
  case decided
  /// The request was already decided, has expired or is gone.
  case tooLate
  /// Another call is pending under the request's id; nothing was decided.
  case changed
  /// It was sent over a session's stream, where older servers do not confirm decisions: the next
  /// event of the call shows the result.
  case unconfirmed
  /// It was sent, and the result is unknown.
  case unknown

  package var isSettled: Bool { self == .decided || self == .tooLate }
}

extension PermissionDecision {
  package var past: String { self == .deny ? "denied" : "approved" }
}
