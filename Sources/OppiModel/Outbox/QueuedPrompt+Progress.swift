// SPDX-License-Identifier: MIT

extension QueuedPrompt {
  /// Whether the prompt continues a turn that reached a usage limit.
  package var isContinuation: Bool { expectedMessageCount != nil }

  /// Whether the prompt waits for a time before which it must not be sent.
  package func isHeldBack(at now: Timestamp) -> Bool {
    guard case .waiting = state, let notBefore else { return false }
    // No limit is that far away: the clock was set back.
    return notBefore > now && notBefore < now.moved(by: UsageLimit.longestWait * 2)
  }

  /// Whether a delivery may be attempted now; manual attempts do not check this.
  package func isDue(at now: Timestamp) -> Bool {
    switch state {
    case .waiting where isHeldBack(at: now): expiresAt.map { $0 <= now } ?? false
    // No pause is that long: the clock was set back.
    case .waiting(let retryAt?) where retryAt > now.moved(by: Self.longestPause * 2): true
    case .departed where changedAt > now, .launched where changedAt > now: true
    case .waiting(let retryAt?): min(retryAt, expiresAt ?? retryAt) <= now
    case .departed, .launched: changedAt.moved(by: pause) <= now
    default: !isDone
    }
  }

  /// Between the last attempt and the next: doubles each time, up to one hour.
  private var pause: Duration {
    min(Self.shortestPause * (1 << min(max(attempts - 1, 0), 7)), Self.longestPause)
  }

  /// Expires a waiting prompt after its deadline; a prompt that was sent does not expire.
  package mutating func expire(at now: Timestamp) {
    guard case .waiting = state, let expiresAt, expiresAt <= now else { return }
    become(.expired, at: now)
  }

  /// Whether the delivery is not complete and not expired at this time.
  package func isOpen(at now: Timestamp) -> Bool {
    var prompt = self
    prompt.expire(at: now)
    return prompt.isOpen
  }

  /// Records an attempt: until its result is known, a session may have been created for it.
  package mutating func begin(at now: Timestamp) {
    attempts = min(attempts + 1, 1_000_000)
    if case .waiting = state, session == nil { mayHaveSession = true }
    changedAt = now
  }

  package mutating func become(
    _ state: State,
    because reason: FailureReason? = nil,
    at now: Timestamp
  ) {
    self.state = state
    self.reason = reason
    changedAt = now
  }

  /// Schedules the next attempt.
  ///
  /// `reason` says why the prompt is not delivered yet. `spread`, from 0 to 1, adds up to a quarter
  /// of the pause, so that prompts that failed together are not retried together.
  package mutating func postpone(because reason: FailureReason?, at now: Timestamp, spread: Double)
  {
    let retryAt = now.moved(by: pause + pause * (spread / 4))
    become(.waiting(retryAt: retryAt), because: reason, at: now)
  }

  private static let shortestPause = Duration.seconds(30)
  private static let longestPause = Duration.seconds(3600)

  /// Resets the prompt to be sent as a new one, at the user's request.
  package mutating func renew(clientTurnID: String, at now: Timestamp) {
    self.clientTurnID = clientTurnID
    sessionID = nil
    mayHaveSession = false
    attempts = 0
    (expiresAt, notBefore, expectedMessageCount) = (nil, nil, nil)
    become(.waiting(retryAt: nil), at: now)
  }

  /// Merges a repeated request into the stored prompt: queued if either is, with the later expiry.
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
      message: "waiting for prompt \(earlier.key) of the same session"
    )
    become(.waiting(retryAt: nil), because: reason, at: now)
  }

  /// The error code for a prompt that remains in the outbox.
  package static let stillQueuedCode = "still-queued"
}
