// SPDX-License-Identifier: MIT

/// Another attempt after a failure of the model.
package struct RetryState: Sendable, Equatable {
  /// Counted from 1.
  package var attempt: Int
  /// The most attempts that are made.
  package var limit: Int
  /// How long the agent waits before the attempt.
  package var delay: Duration
  /// The failure.
  package var error: String

  package init(attempt: Int, limit: Int, delay: Duration, error: String) {
    self.attempt = attempt
    self.limit = limit
    self.delay = delay
    self.error = error
  }
}
