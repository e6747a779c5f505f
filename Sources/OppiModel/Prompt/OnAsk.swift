// SPDX-License-Identifier: MIT

/// What happens when a turn requires user input.
package enum OnAsk: String, Sendable, CaseIterable {
  /// The turn waits for the input.
  case wait
  /// Approvals are denied and questions cancelled, and the agent continues.
  case deny
  /// The command fails, and the agent waits.
  case fail
}
