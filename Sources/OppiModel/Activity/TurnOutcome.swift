// SPDX-License-Identifier: MIT

/// What a turn came to.
package enum TurnOutcome: Sendable, Equatable {
  /// The agent's last message has text, which is the answer.
  case succeeded(answer: String)
  /// The agent said nothing at the end.
  case empty
  case failed(String)
  /// Someone stopped the turn.
  case stopped
  /// The session ended under the turn.
  case ended(reason: String?)
}
