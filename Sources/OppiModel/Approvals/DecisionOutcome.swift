// SPDX-License-Identifier: MIT

/// What is known about a decision after sending it.
package enum DecisionOutcome: Sendable, Equatable, CaseIterable {
  case decided
  /// The request was already decided, has expired or is gone.
  case tooLate
  /// Another call is pending under the request's id; nothing was decided.
  case changed
  /// Sent over a stream of an older server, which does not confirm; the call's next event shows it.
  case unconfirmed
  /// It was sent, and the result is unknown.
  case unknown

  package var isSettled: Bool { self == .decided || self == .tooLate }
}

extension PermissionDecision {
  package var past: String { self == .deny ? "denied" : "approved" }
}
