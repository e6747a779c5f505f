// SPDX-License-Identifier: MIT

/// How a turn stands, and what stops and failures make of it.
struct TurnFate: Sendable {
  private(set) var status: TurnStatus
  /// A failure of the model that nothing has made good.
  private(set) var failure: String?
  /// Whether somebody asked the turn to stop; a stop that fails at first may still come true.
  private var isStopRequested = false

  init(_ status: TurnStatus) {
    self.status = status
  }

  /// What the turn comes to whatever the agent has said; `nil` where that decides.
  var outcome: TurnOutcome? {
    isStopRequested ? .stopped(reason: nil) : failure.map(TurnOutcome.failed)
  }

  /// Takes a failure, which is the turn's end unless something makes it good.
  mutating func fail(_ text: String) { failure = text.head(bytes: TurnActivity.reasonLimit) }

  /// Takes it that the agent goes on.
  mutating func recover() { failure = nil }

  /// Takes it that somebody asked the turn to stop, and returns whether that is news.
  mutating func requestStop() -> Bool {
    isStopRequested = true
    guard status == .running else { return false }
    status = .stopping
    return true
  }

  mutating func failStop() {
    if status == .stopping { status = .running }
  }

  /// Takes it that the session ends under the turn, or that somebody ends the pause before a retry.
  mutating func cancel() { isStopRequested = true }

  mutating func finish(_ outcome: TurnOutcome) { status = .finished(outcome) }
}
