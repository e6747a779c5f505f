// SPDX-License-Identifier: MIT

package enum TurnOutcome: Sendable, Equatable {
  /// The agent's last message has text, which is the answer.
  case succeeded(answer: String)
  /// The turn ended without an answer.
  case empty
  case failed(String)
  /// The turn was stopped, or the session ended during it.
  case stopped(reason: String?)
  /// The queued prompt was removed by a stop and never ran.
  case dropped
  /// The end was not seen, and no other source shows the outcome.
  case unknown(reason: String?)
}
