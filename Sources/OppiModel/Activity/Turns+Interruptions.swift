// SPDX-License-Identifier: MIT

/// What comes between a turn's runs, or ends it before its time.
extension Turns {
  // MARK: - Failures

  mutating func fail(_ text: String, isFatal: Bool, at now: Timestamp) -> [ActivityChange] {
    let text = text.head(bytes: TurnActivity.reasonLimit)
    guard isFatal || !run.isWorking || run == .awaited else { return failAtWork(text) }
    if case .ended(let sequel, _) = run, sequel != .unknown, !isFatal {
      present.fate.fail(text)
      return []
    }
    // What fails after the end of a run is the next prompt.
    return finishIfDoubtful() + join(at: now) + finish(.failed(text), at: now)
  }

  /// Takes a failure under a run, which goes on unless the run says otherwise.
  private mutating func failAtWork(_ text: String) -> [ActivityChange] {
    takeUpWork()
    guard ServerRefusal(words: text) == .agentBusy else {
      present.fate.fail(text)
      return []
    }
    // A prompt that was not queued is refused, which is no failure of the running turn.
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
    // A stop says nothing of a prompt that is on its way.
    guard reason?.isIdleConfirmation != true, run != .none, run != .awaited else { return [] }
    return finish(.stopped(reason: nil), at: now)
  }

  mutating func failStop(_ reason: String?) -> [ActivityChange] {
    present.fate.failStop()
    return [.note("The stop failed" + (reason.map { ": \($0)" } ?? ""))]
  }

  /// Takes it that the session has ended, and with it all that ran or waited.
  mutating func endSession(_ reason: String?, at now: Timestamp) -> [ActivityChange] {
    var changes = finishIfDoubtful()
    if run != .none { changes += finish(.stopped(reason: Self.words(forEnd: reason)), at: now) }
    changes += waiting.dropQueued()
    statuses.clear()
    return changes + [.sessionEnded(reason)]
  }

  private static func words(forEnd reason: String?) -> String {
    guard let reason, !reason.isEmpty, reason != "stopped" else { return "the session ended" }
    return "the session ended: \(reason)"
  }
}

extension String {
  /// Whether a server says with these words that there was nothing to stop: no run, the pause before
  /// a retry, or a turn that another stop is about to end.
  package var isIdleConfirmation: Bool { self == "Session already idle" }

  /// Whether an agent says with these words that somebody ended the pause before a retry, which it
  /// says in no other way.
  package var isRetryCancellation: Bool { self == "Retry cancelled" }
}
