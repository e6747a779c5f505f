// SPDX-License-Identifier: MIT

/// What becomes of a turn that asks for a human.
package enum OnAsk: String, Sendable, CaseIterable {
  /// A human will see to it.
  case wait
  /// Approvals are denied and questions left unanswered, and the agent goes on.
  case deny
  /// The watch ends, and the agent waits.
  case fail
}
