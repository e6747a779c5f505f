// SPDX-License-Identifier: MIT

/// What happens when a turn reaches a usage limit of the model's provider.
package enum OnLimit: String, Sendable, CaseIterable {
  /// The command fails.
  case fail
  /// The command waits until the limit is reset, and continues the turn.
  case wait
  /// The continuation is queued in the outbox, and sent after the reset.
  case queue
}
