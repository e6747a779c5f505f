// SPDX-License-Identifier: MIT

/// The status of a turn, and the effect of stops and failures on it.
struct TurnFate: Sendable {
  private(set) var status: TurnStatus
  /// A failure of the model from which the turn has not recovered.
  private(set) var failure: String?
  /// Whether a stop was requested; a stop that fails at first may still take effect.
  private var isStopRequested = false

  init(_ status: TurnStatus) {
    self.status = status
  }

  /// The outcome if a stop or a failure determines it; `nil` if the agent's messages do.
  var outcome: TurnOutcome? {
    isStopRequested ? .stopped(reason: nil) : failure.map(TurnOutcome.failed)
  }

  /// Records a failure, which ends the turn unless it recovers.
  mutating func fail(_ text: String) { failure = text.head(bytes: TurnActivity.reasonLimit) }

  /// Records that the agent continues.
  mutating func recover() { failure = nil }

  /// Records that a stop was requested; returns whether that is new.
  mutating func requestStop() -> Bool {
    isStopRequested = true
    guard status == .running else { return false }
    status = .stopping
    return true
  }

  mutating func failStop() {
    if status == .stopping { status = .running }
  }

  /// Records that the session ended during the turn, or that the wait for a retry was cancelled.
  mutating func cancel() { isStopRequested = true }

  mutating func finish(_ outcome: TurnOutcome) { status = .finished(outcome) }
}
