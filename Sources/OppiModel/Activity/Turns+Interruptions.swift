// SPDX-License-Identifier: MIT

/// Events between the runs of a turn, or that end it early.
extension Turns {
  // MARK: - Failures

  mutating func fail(_ text: String, isFatal: Bool, at now: Timestamp) -> [ActivityChange] {
    let text = text.head(bytes: TurnActivity.reasonLimit)
    guard isFatal || !run.isWorking || run == .awaited else { return failAtWork(text) }
    if case .ended(let sequel, _) = run, sequel != .unknown, !isFatal {
      present.fate.fail(text)
      return []
    }
    // A failure after the end of a run belongs to the next prompt.
    return finishIfDoubtful() + join(at: now) + finish(.failed(text), at: now)
  }

  /// Records a failure during a run; the run's own messages decide whether it ends.
  private mutating func failAtWork(_ text: String) -> [ActivityChange] {
    takeUpWork()
    guard ServerRefusal(words: text) == .agentBusy else {
      present.fate.fail(text)
      return []
    }
    // The server refuses a prompt that was not queued; the running turn has not failed.
    return waiting.takeDirectOwn() == nil
      ? [.note(text)] : [.turnFinished(.failed(text), isOwn: true)]
  }

  // MARK: - Retries and compactions

  mutating func announceRetry(_ retry: RetryState) -> [ActivityChange] {
    guard run != .none else { return [] }
    expect(.retry)
    present.announceRetry(retry)
    return [.note("Retry \(retry.attempt) of \(retry.limit): \(retry.error)")]
  }

  mutating func endRetry(success: Bool, _ failure: String?) -> [ActivityChange] {
    present.endRetry()
    guard !success, run != .none else { return [] }
    if failure?.isRetryCancellation == true {
      present.fate.cancel()
    } else if let failure {
      present.fate.fail(failure)
    }
    guard case .ended(_, let end) = run else { return [] }
    return finish(at: end)
  }

  mutating func beginCompaction() -> [ActivityChange] {
    present.beginCompaction()
    expect(.compaction)
    return [.note("Compacting the conversation")]
  }

  mutating func endCompaction(willRetry: Bool) -> [ActivityChange] {
    present.endCompaction()
    guard case .ended(let sequel, let end) = run, sequel != .retry else { return [] }
    if !willRetry { return finish(at: end) }
    expect(.retry)
    return []
  }

  // MARK: - Stops

  mutating func requestStop() -> [ActivityChange] {
    if run.doubtfulEnd != nil { return finishIfDoubtful() }
    return run != .none && present.fate.requestStop() ? [.note("Stopping")] : []
  }

  mutating func confirmStop(_ reason: String?, at now: Timestamp) -> [ActivityChange] {
    // A stop does not affect a prompt that has not reached the agent.
    guard reason?.isIdleConfirmation != true, run != .none, run != .awaited else { return [] }
    return finish(.stopped(reason: nil), at: now)
  }

  mutating func failStop(_ reason: String?) -> [ActivityChange] {
    present.fate.failStop()
    return [.note("Stop failed" + (reason.map { ": \($0)" } ?? ""))]
  }

  /// Ends all running and queued work because the session ended.
  mutating func endSession(_ reason: String?, at now: Timestamp) -> [ActivityChange] {
    var changes = finishIfDoubtful()
    if run != .none { changes += finish(.stopped(reason: Self.words(forEnd: reason)), at: now) }
    changes += waiting.dropQueued()
    statuses.clear()
    present.questions.clear()
    return changes + [.sessionEnded(reason)]
  }

  private static func words(forEnd reason: String?) -> String {
    guard let reason, !reason.isEmpty, reason != "stopped" else { return "the session ended" }
    return "the session ended: \(reason)"
  }
}

extension String {
  /// The server's text for a stop without effect: no run, a wait for a retry, or another stop.
  package var isIdleConfirmation: Bool { self == "Session already idle" }

  /// Whether this is the agent's text for a cancelled wait before a retry, which has no other sign.
  package var isRetryCancellation: Bool { self == "Retry cancelled" }
}
