// SPDX-License-Identifier: MIT

/// What becomes of a prompt of the outbox.
extension QueuedPrompt {
  /// Whether it may be tried now; what is tried by hand does not wait for its moment.
  package func isDue(at now: Timestamp) -> Bool {
    switch state {
    // No pause is so long: the clock was set back since.
    case .waiting(let retryAt?) where retryAt > now.moved(by: Self.longestPause * 2): true
    case .departed where changedAt > now: true
    case .waiting(let retryAt?): min(retryAt, expiresAt ?? retryAt) <= now
    case .departed: changedAt.moved(by: pause) <= now
    default: !isDone
    }
  }

  /// Between the last try and the next: twice as long each time, up to an hour.
  private var pause: Duration {
    min(Self.shortestPause * (1 << min(max(attempts - 1, 0), 7)), Self.longestPause)
  }

  /// Ends a wait whose time is over; what has left is never too late.
  package mutating func expire(at now: Timestamp) {
    guard case .waiting = state, let expiresAt, expiresAt <= now else { return }
    become(.expired, at: now)
  }

  /// Whether its delivery is still to be done or learned, unless it is too late for it by now.
  package func isOpen(at now: Timestamp) -> Bool {
    var prompt = self
    prompt.expire(at: now)
    return prompt.isOpen
  }

  /// Takes note that it is tried: until its end is known a session may have been made for it.
  package mutating func begin(at now: Timestamp) {
    attempts = min(attempts + 1, 1_000_000)
    if case .waiting = state, session == nil { mayHaveSession = true }
    changedAt = now
  }

  /// Takes note of what became of it.
  package mutating func become(
    _ state: State,
    because reason: FailureReason? = nil,
    at now: Timestamp
  ) {
    self.state = state
    self.reason = reason
    changedAt = now
  }

  /// Waits for the next try.
  ///
  /// - Parameters:
  ///   - reason: Why it is not delivered yet.
  ///   - now: The present moment.
  ///   - spread: From 0 to 1: which part of a quarter of the pause is added, so that what failed
  ///     together does not come back together.
  package mutating func postpone(because reason: FailureReason?, at now: Timestamp, spread: Double)
  {
    let retryAt = now.moved(by: pause + pause * (spread / 4))
    become(.waiting(retryAt: retryAt), because: reason, at: now)
  }

  private static let shortestPause = Duration.seconds(30)
  private static let longestPause = Duration.seconds(3600)

  /// Begins anew as another prompt to the server, by the wish of a person.
  package mutating func renew(clientTurnID: String, at now: Timestamp) {
    self.clientTurnID = clientTurnID
    sessionID = nil
    mayHaveSession = false
    attempts = 0
    expiresAt = nil
    become(.waiting(retryAt: nil), at: now)
  }

  /// Returns the stored prompt after it was asked again: kept if either wants it, until the later
  /// expiry.
  package func repeated(as prompt: QueuedPrompt) -> QueuedPrompt {
    var stored = self
    if let expiresAt { stored.expiresAt = prompt.expiresAt.map { max($0, expiresAt) } }
    stored.isQueued = isQueued || prompt.isQueued
    return stored
  }

  /// Waits until another prompt for the same session is delivered.
  package mutating func wait(behind earlier: QueuedPrompt, at now: Timestamp) {
    let reason = FailureReason(
      code: Self.stillQueuedCode,
      message: "\(earlier.key) for the same session comes first"
    )
    become(.waiting(retryAt: nil), because: reason, at: now)
  }

  /// The code of the program's error for a prompt that stays in the outbox.
  package static let stillQueuedCode = "still-queued"
}
