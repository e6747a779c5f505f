// SPDX-License-Identifier: MIT

/// The agent's runs, with retries and compactions between them.
extension ActivityReducer {
  /// Whether the agent works for the turn.
  var isWorking: Bool {
    switch run {
    case .awaited, .active, .resumed: true
    case .none, .ended: false
    }
  }

  /// Takes it that the agent is at work; a run that began again works on the same turn.
  mutating func takeUpWork() {
    opening.isAnnounced = false
    if run != .active { beginRun() }
  }

  /// Takes up work, after a failure with a clean slate.
  mutating func beginRun() {
    run = .active
    phase = .writing
    activity.isWriting = false
    hasAnswer = false
    error = nil
    opening.isAnnounced = false
  }

  mutating func applyToRun(_ kind: ServerMessage.Kind, at now: Timestamp) -> [ActivityChange] {
    switch kind {
    case .agentStart: return startRun(at: now)
    case .agentEnd: return endRun(at: now)
    case .retryStart(let attempt, let limit, let delay, let error):
      return retry(RetryState(attempt: attempt, limit: limit, delay: delay, error: error))
    case .retryEnd(let success, let error): return endRetry(success: success, error)
    case .compactionStart: return startCompaction()
    case .compactionEnd(let willRetry): return endCompaction(willRetry: willRetry)
    case .stopRequested: return hearStop()
    case .stopConfirmed(let reason): return confirmStop(reason, at: now)
    case .stopFailed(let reason): return failStop(reason)
    default: return []
    }
  }

  private mutating func startRun(at now: Timestamp) -> [ActivityChange] {
    switch run {
    case .none: return startTurn(at: now, own: prompts.takeDirect())
    case .ended(_, let end): run = .resumed(endedAt: end, at: now)
    case .awaited: beginRun()
    case .active where isAgentReplaced:
      return finish(.unknown(reason: OutcomeDoubt.agentLost), at: now)
        + startTurn(at: now, own: prompts.takeDirect())
    case .active, .resumed: break
    }
    return []
  }

  private mutating func endRun(at now: Timestamp) -> [ActivityChange] {
    // The attempt that was announced is not made.
    if case .ended(.retry, _) = run { return finish(ownOutcome, at: now) }
    guard isWorking else { return [] }
    takeUpWork()
    activity.thinking.isStreaming = false
    activity.isWriting = false
    run = .ended(.unknown, at: now)
    return []
  }

  private mutating func retry(_ retry: RetryState) -> [ActivityChange] {
    guard run != .none else { return [] }
    if case .ended(_, let end) = run { run = .ended(.retry, at: end) }
    activity.retry = retry
    activity.retry?.error = retry.error.head(bytes: 4096)
    error = error ?? activity.retry?.error
    return [notice("Retry \(retry.attempt) of \(retry.limit): \(retry.error)")]
  }

  private mutating func endRetry(success: Bool, _ failure: String?) -> [ActivityChange] {
    activity.retry = nil
    guard !success, run != .none else { return [] }
    error = failure?.head(bytes: 4096) ?? error
    guard case .ended(_, let end) = run else { return [] }
    return finish(ownOutcome, at: end)
  }

  private mutating func startCompaction() -> [ActivityChange] {
    activity.isCompacting = true
    if case .ended(.unknown, let end) = run { run = .ended(.compaction, at: end) }
    return [notice("Compacting the conversation")]
  }

  private mutating func endCompaction(willRetry: Bool) -> [ActivityChange] {
    activity.isCompacting = false
    guard case .ended(let sequel, let end) = run, sequel != .retry else { return [] }
    if willRetry {
      run = .ended(.retry, at: end)
      return []
    }
    return finish(ownOutcome, at: end)
  }

  mutating func fail(_ text: String, isFatal: Bool, at now: Timestamp) -> [ActivityChange] {
    let text = text.head(bytes: 4096)
    guard isFatal || !isWorking || run == .awaited else { return failAtWork(text) }
    var changes: [ActivityChange] = []
    switch run {
    case .ended(let sequel, _) where sequel != .unknown && !isFatal:
      error = text
      return []
    // What fails after the end of a run is the next prompt.
    case .ended(.unknown, let end): changes = finish(ownOutcome, at: end)
    default: break
    }
    if run == .none { changes += startTurn(at: now, own: prompts.takeDirect()) }
    return changes + finish(.failed(text), at: now)
  }

  /// Takes a failure under a run, which goes on unless the run says otherwise.
  private mutating func failAtWork(_ text: String) -> [ActivityChange] {
    takeUpWork()
    // A prompt that was not queued is refused, which is no failure of the running turn.
    if text.isBusyRefusal {
      return prompts.takeDirect() == nil
        ? [notice(text)] : [.turnFinished(.failed(text), isOwn: true)]
    }
    error = text
    return []
  }
}
