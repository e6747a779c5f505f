// SPDX-License-Identifier: MIT

extension ActivityReducer {
  /// Whether the agent's run is over and the turn is not: a retry or a compaction may follow.
  ///
  /// Whoever feeds the reducer waits a moment and then calls ``settle(at:)``.
  package var isSettling: Bool {
    if case .ended(.unknown, _) = run { true } else { false }
  }

  /// Opens a turn whose prompt the server has accepted, so that a refusal is known for its end.
  ///
  /// A prompt that was queued behind a running turn opens none.
  package mutating func begin(at now: Timestamp) -> [ActivityChange] {
    var changes: [ActivityChange] = []
    switch run {
    case .none: break
    case .ended(.unknown, _): changes = settle(at: now)
    case .resumed: return hearUser()
    case .awaited, .active, .ended: return []
    }
    changes += startTurn(at: now)
    run = .awaited
    return changes
  }

  /// Ends the turn after a run that nothing followed; does nothing unless ``isSettling``.
  package mutating func settle(at now: Timestamp) -> [ActivityChange] {
    guard case .ended(.unknown, let end) = run else { return [] }
    return finish(ownOutcome, at: end)
  }

  // MARK: - Messages about runs

  mutating func applyToRun(_ kind: ServerMessage.Kind, at now: Timestamp) -> [ActivityChange] {
    switch kind {
    case .agentStart: return startRun(at: now)
    case .agentEnd: return endRun(at: now)
    case .retryStart(let attempt, let limit, let delay, let error):
      return retry(RetryState(attempt: attempt, limit: limit, delay: delay, error: error))
    case .retryEnd(let success, let error): return endRetry(success: success, error)
    case .compactionStart: return startCompaction()
    case .compactionEnd(let willRetry): return endCompaction(willRetry: willRetry)
    case .stopRequested: return requestStop(at: now)
    case .stopConfirmed: return confirmStop(at: now)
    case .stopFailed(let reason): return failStop(reason)
    default: return []
    }
  }

  private mutating func startRun(at now: Timestamp) -> [ActivityChange] {
    switch run {
    case .none: return startTurn(at: now)
    case .ended(.unknown, let end): run = .resumed(endedAt: end, at: now)
    case .ended, .awaited: carryOn()
    case .active, .resumed: break
    }
    return []
  }

  private mutating func endRun(at now: Timestamp) -> [ActivityChange] {
    guard isWorking() else { return [] }
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
    return [notice("Retry \(retry.attempt) of \(retry.limit): \(retry.error)")]
  }

  private mutating func endRetry(success: Bool, _ failure: String?) -> [ActivityChange] {
    activity.retry = nil
    guard !success, run != .none else { return [] }
    error = failure ?? error
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

  // MARK: - Stops and failures

  private mutating func requestStop(at now: Timestamp) -> [ActivityChange] {
    if isSettling { return settle(at: now) }
    guard run != .none, activity.status == .running else { return [] }
    activity.status = .stopping
    return [notice("Stopping")]
  }

  private mutating func confirmStop(at now: Timestamp) -> [ActivityChange] {
    // An idle session confirms, too; a stop says nothing of a prompt that is on its way.
    guard activity.status == .stopping, run != .none else { return [] }
    return finish(.stopped, at: now)
  }

  private mutating func failStop(_ reason: String?) -> [ActivityChange] {
    if activity.status == .stopping { activity.status = .running }
    return [notice("The stop failed" + (reason.map { ": \($0)" } ?? ""))]
  }

  mutating func fail(_ text: String, isFatal: Bool, at now: Timestamp) -> [ActivityChange] {
    let text = text.head(bytes: 4096)
    var changes = settle(at: now)
    guard isFatal || run == .none || run == .awaited else {
      // Another client's prompt was refused, and the turn goes on.
      if isWorking(), text.hasPrefix("Agent is already processing") { return [notice(text)] }
      error = text
      return changes
    }
    if run == .none { changes += startTurn(at: now) }
    changes += finish(.failed(text), at: now)
    return changes
  }

  // MARK: - Turns

  mutating func startTurn(at now: Timestamp) -> [ActivityChange] {
    activity = TurnActivity()
    activity.status = .running
    activity.startedAt = now
    answeredRequests = []
    callCount = 0
    loadedText = nil
    carryOn()
    return [.turnStarted]
  }

  /// Takes up work, after a failure with a clean slate.
  private mutating func carryOn() {
    run = .active
    phase = .writing
    activity.isWriting = false
    hasAnswer = false
    error = nil
  }

  /// Whether the agent works for the turn; one that began again works on the same.
  mutating func isWorking() -> Bool {
    switch run {
    case .active: return true
    case .awaited, .resumed:
      carryOn()
      return true
    case .none, .ended: return false
    }
  }

  /// What the last run came to by itself.
  var ownOutcome: TurnOutcome {
    if activity.status == .stopping { return .stopped }
    if let error { return .failed(error) }
    return hasAnswer ? .succeeded(answer: activity.text) : .empty
  }

  /// Ends the turn and what of it is still open.
  mutating func finish(_ outcome: TurnOutcome, at end: Timestamp) -> [ActivityChange] {
    var changes: [ActivityChange] = []
    for index in activity.toolCalls.indices where activity.toolCalls[index].isOpen {
      changes += abandonCall(at: index, now: end)
    }
    run = .none
    activity.status = .finished(outcome)
    activity.endedAt = end
    activity.thinking.isStreaming = false
    activity.isWriting = false
    activity.isCompacting = false
    activity.retry = nil
    activity.questions = []
    return changes + [.turnFinished(outcome)]
  }
}
