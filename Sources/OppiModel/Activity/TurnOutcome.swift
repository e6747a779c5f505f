// SPDX-License-Identifier: MIT

/// What a turn came to.
package enum TurnOutcome: Sendable, Equatable {
  /// The agent's last message has text, which is the answer.
  case succeeded(answer: String)
  /// The agent said nothing at the end.
  case empty
  case failed(String)
  /// Someone stopped the turn, or the session ended under it.
  case stopped(reason: String?)
  /// The prompt waited in the queue when a stop cleared it; it never ran.
  case dropped
  /// The end was not seen, and nothing tells what it was.
  case unknown(reason: String?)
}
