// SPDX-License-Identifier: MIT

package import OppiText
import OppiWire

/// Where a session's turns start and end, and which of them are own turns.
extension ActivityReducer {
  // MARK: - Start and end

  mutating func start(
    at now: Timestamp,
    own prompt: OwnPrompt?,
    opening: TurnBuilder.Opening = (nil, nil)
  ) -> [ActivityChange] {
    if present.known.isFinished { previousTurn = activity }
    present = TurnBuilder(after: present, at: now, own: prompt, opening: opening)
    beginRun()
    return [.turnStarted(isOwn: prompt != nil)]
  }

  /// Starts a turn if there is none, because the agent is working.
  mutating func join(at now: Timestamp) -> [ActivityChange] {
    run == .none ? start(at: now, own: waiting.takeDirectOwn()) : []
  }

  mutating func finish(_ outcome: TurnOutcome, at end: Timestamp) -> [ActivityChange] {
    let changes = present.finish(outcome, at: end)
    endedPrompt = present.own?.text ?? present.opening.text
    run = .none
    return changes
  }

  /// Ends the turn whose run was seen to end.
  mutating func finish(at end: Timestamp) -> [ActivityChange] {
    waiting.forgetGone()
    return finish(present.outcome, at: end)
  }

  /// Ends the turn if its run is over and nothing was announced to follow.
  mutating func finishIfDoubtful() -> [ActivityChange] {
    run.doubtfulEnd.map { finish(at: $0) } ?? []
  }

  /// Ends the turn if nothing followed its run; does nothing unless ``isSettling``.
  package mutating func settle() -> [ActivityChange] {
    guard isSettling else { return [] }
    return finishIfDoubtful()
      // A server may report only after the end of a stopped turn what the stop has removed.
      + (present.wasStopped ? waiting.dropGone() : [])
      + waiting.endOwn(as: .unknown(reason: UnknownReason.stillQueued), where: \.isQueued)
  }

  /// Ends the turn as far as it was seen; does nothing unless ``awaitsSequel``.
  ///
  /// After a gap, the status of a session does not show whether the retry or the compaction is
  /// still to come.
  package mutating func giveUpSequel() -> [ActivityChange] {
    run.announcedEnd.map { finish(at: $0) } ?? []
  }

  // MARK: - Prompts

  /// Records that this program sent a prompt; the turn that it starts is an own turn.
  ///
  /// A prompt that was sent directly starts its turn at once, so that a refusal ends that turn; if
  /// another turn is running, the prompt gets the next one. A queued prompt waits for its turn.
  /// `clientTurnID` is the id that the prompt was sent with.
  package mutating func begin(
    clientTurnID: String,
    prompt: String,
    isQueued: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    // The prompt was sent over a stream.
    isConnected = true
    let prompt = OwnPrompt(id: clientTurnID, text: prompt, isQueued: isQueued)
    guard present.own != prompt, !waiting.own.contains(prompt) else { return [] }
    if prompt.isQueued {
      let hasBegun = run != .none && present.opening.id == prompt.id
      if hasBegun { present.own = prompt } else { waiting.add(prompt) }
      // The turn that it waits for is running, although nothing was heard of it yet.
      return run == .none ? start(at: now, own: nil) : []
    }
    switch run {
    case .none, .ended(.unknown, _):
      let changes = finishIfDoubtful() + start(at: now, own: prompt)
      run = .awaited
      return changes
    case .resumed(let end, let begun):
      return finish(at: end) + start(at: begun, own: prompt)
    case .awaited, .active, .ended:
      waiting.add(prompt)
      return []
    }
  }

  /// Handles a message that leaves the queue for the agent: a follow-up starts a turn.
  mutating func begin(_ message: QueuedMessage, at now: Timestamp) -> [ActivityChange] {
    let message = message.bounded
    let prompt = waiting.take(message)
    defer { present.expectsMessage = true }
    guard message.kind == .followUp, run != .awaited else { return [] }
    if run != .none, present.isOpened(by: message) { return startOver() }
    let end = run.turnEnd(at: now).map { finish(at: $0) } ?? []
    return end + start(at: now, own: prompt, opening: (message.id, nil))
  }

  /// Handles the opening of a turn that the trace has shown already: what was received since belongs
  /// to the turn before.
  private mutating func startOver() -> [ActivityChange] {
    beginRun()
    return []
  }

  /// Handles a user message, which starts a turn or steers the running one.
  mutating func receiveUserMessage(_ text: String, at now: Timestamp) -> [ActivityChange] {
    defer { if present.isFresh { present.keepOpening(text) } }
    present.calls.beginMessage()
    if run != .none, run != .awaited, present.isTraced(as: text) { return startOver() }
    if present.expectsMessage, run == .active {
      present.expectsMessage = false
      present.receiveSteering(text)
      return []
    }
    switch run {
    case .none: return start(at: now, own: takeOwn(text))
    case .awaited:
      if present.own?.isOvertaken(by: text) == true { return makeWay(at: now) }
      beginRun()
      return []
    case .active: return receiveUserMessageAtWork(text, at: now)
    case .resumed(let end, let begun):
      return finish(at: end) + start(at: begun, own: takeOwn(text))
    case .ended(_, let end): return finish(at: end) + start(at: now, own: takeOwn(text))
    }
  }

  /// Handles a message that was not announced: on older servers, or after a gap.
  private mutating func receiveUserMessageAtWork(_ text: String, at now: Timestamp)
    -> [ActivityChange]
  {
    let item = waiting.takeMessage(text: text)
    let prompt =
      if let item { waiting.takeOwn(queuedAs: item.id) } else { waiting.takeOwn(text: text) }
    // If nothing identifies the message, a complete answer before it shows that it is a new prompt.
    let opensTurn = prompt != nil || (item.map { $0.kind == .followUp } ?? present.hasAnswer)
    guard opensTurn else {
      present.receiveSteering(text)
      return []
    }
    guard present.isFresh else { return finish(at: now) + start(at: now, own: prompt) }
    // The message has started the run itself.
    if present.own?.isOvertaken(by: text) == true { return makeWay(at: now) }
    if present.own == nil, let prompt { present.own = prompt }
    return []
  }

  /// Returns the prompt of this program that starts a run, and removes it from the waiting ones.
  private mutating func takeOwn(_ text: String) -> OwnPrompt? {
    waiting.takeOwn(text: text) ?? waiting.takeDirectOwn()
  }

  private mutating func makeWay(at now: Timestamp) -> [ActivityChange] {
    finish(.unknown(reason: UnknownReason.overtaken), at: now) + start(at: now, own: nil)
  }

  // MARK: - Runs

  /// Records that the agent is working; a run that resumed continues the same turn.
  mutating func takeUpWork() {
    // No announced message is pending.
    present.expectsMessage = false
    if run != .active { beginRun() }
  }

  private mutating func beginRun() {
    run = .active
    present.beginRun()
  }

  mutating func startRun(at now: Timestamp) -> [ActivityChange] {
    switch run {
    case .none: return join(at: now)
    case .ended(_, let end): run = .resumed(endedAt: end, at: now)
    case .awaited: beginRun()
    case .active where present.isAgentReplaced:
      // Its queue was lost with it.
      let lost = waiting.giveUpOrphans()
      return finish(.unknown(reason: UnknownReason.agentLost), at: now) + lost + join(at: now)
    case .active:
      // The end of the run before was missed, and its last message does not continue.
      present.speech.endRun()
      present.speech.beginMessage()
    case .resumed: break
    }
    return []
  }

  mutating func endRun(at now: Timestamp) -> [ActivityChange] {
    // The announced attempt was not made.
    if case .ended(.retry, _) = run { return finish(at: now) }
    guard run.isWorking else { return [] }
    takeUpWork()
    present.speech.endRun()
    run = .ended(.unknown, at: now)
    return []
  }

  /// Handles the agent's report that nothing follows the last run, whatever was announced.
  mutating func settleRun() -> [ActivityChange] {
    reportsSettling = true
    guard case .ended(_, let end) = run else { return [] }
    return finish(at: end)
  }
}

/// Events between the runs of a turn, or that end it early.
extension ActivityReducer {
  // MARK: - Failures

  mutating func fail(_ text: String, isFatal: Bool, at now: Timestamp) -> [ActivityChange] {
    let text = text.head(bytes: Turn.reasonLimit)
    guard isFatal || !run.isWorking || run == .awaited else { return failAtWork(text) }
    if run.announcedEnd != nil, !isFatal {
      present.fail(text)
      return []
    }
    // A failure after the end of a run belongs to the next prompt.
    return finishIfDoubtful() + join(at: now) + finish(.failed(text), at: now)
  }

  /// Records a failure during a run; the run's own messages decide whether it ends.
  private mutating func failAtWork(_ text: String) -> [ActivityChange] {
    takeUpWork()
    guard ServerRefusal(words: text) == .agentBusy else {
      present.fail(text)
      return []
    }
    // The server refuses a prompt that was not queued; the running turn has not failed.
    return waiting.takeDirectOwn() == nil
      ? [.note(text)] : [.turnFinished(.failed(text), isOwn: true)]
  }

  // MARK: - Retries and compactions

  mutating func announceRetry(_ retry: RetryState) -> [ActivityChange] {
    guard run != .none else { return [] }
    run.expect(.retry)
    present.known.retry = retry
    present.known.retry?.error = retry.error.head(bytes: Turn.reasonLimit)
    if present.failure == nil { present.fail(retry.error) }
    return [.note("Retry \(retry.attempt) of \(retry.limit): \(retry.error)")]
  }

  mutating func endRetry(success: Bool, _ failure: String?) -> [ActivityChange] {
    present.known.retry = nil
    guard !success, run != .none else { return [] }
    if failure?.isRetryCancellation == true {
      present.isStopRequested = true
    } else if let failure {
      present.fail(failure)
    }
    guard case .ended(_, let end) = run else { return [] }
    return finish(at: end)
  }

  mutating func beginCompaction() -> [ActivityChange] {
    present.known.isCompacting = true
    run.expect(.compaction)
    return [.note("Compacting the conversation")]
  }

  mutating func endCompaction(willRetry: Bool) -> [ActivityChange] {
    present.known.isCompacting = false
    guard case .ended(let sequel, let end) = run, sequel != .retry else { return [] }
    if !willRetry { return finish(at: end) }
    run.expect(.retry)
    return []
  }

  // MARK: - Stops

  mutating func requestStop() -> [ActivityChange] {
    if run.doubtfulEnd != nil { return finishIfDoubtful() }
    guard run != .none else { return [] }
    present.isStopRequested = true
    guard present.known.status == .running else { return [] }
    present.known.status = .stopping
    return [.note("Stopping")]
  }

  mutating func confirmStop(_ reason: String?, at now: Timestamp) -> [ActivityChange] {
    // A stop does not affect a prompt that has not reached the agent.
    guard reason?.isIdleConfirmation != true, run != .none, run != .awaited else { return [] }
    let dropped = waiting.dropGone()
    return finish(.stopped(reason: nil), at: now) + dropped
  }

  mutating func failStop(_ reason: String?) -> [ActivityChange] {
    if present.known.status == .stopping { present.known.status = .running }
    return [.note("Stop failed" + (reason.map { ": \($0)" } ?? ""))]
  }
}

extension String {
  /// The server's text for a stop without effect: no run, a wait for a retry, or another stop.
  package var isIdleConfirmation: Bool { self == "Session already idle" }

  /// Whether this is the agent's text for a cancelled wait before a retry, which has no other sign.
  package var isRetryCancellation: Bool { self == "Retry cancelled" }
}
