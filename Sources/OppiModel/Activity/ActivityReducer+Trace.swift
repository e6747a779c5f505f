// SPDX-License-Identifier: MIT

/// What is known from the session's trace where messages were missed that cannot be had again.
extension ActivityReducer {
  /// Takes the session's trace as the truth about what was missed: on joining a turn in its middle,
  /// and after a gap.
  ///
  /// The turn is that of this program's prompt where there is one, else the one that was seen
  /// before, else the last. One that is over has the answer of the trace; where the trace shows
  /// none, what it came to is unknown. A turn that nobody has seen and that is over stays unseen,
  /// and one that waits for a retry goes on.
  /// - Parameters:
  ///   - trace: The entries as the server lists them.
  ///   - session: The session as listed with them.
  ///   - isAgentLost: Whether the agent that ran the turn is known to be gone, whatever the status
  ///     says: its events are no longer there, or the session's counter fell back.
  ///   - now: The moment of loading.
  /// - Returns: What has changed since the last message: all that the agent did is past.
  package mutating func load(
    trace: JSONValue,
    session: Session,
    isAgentLost: Bool = false,
    at now: Timestamp
  ) -> [ActivityChange] {
    let isLost = isAgentLost || isAgentReplaced
    isAgentReplaced = false
    lastSequence = max(lastSequence, connectedSequence)
    let goesOn = !isLost && goesOn(session)
    guard run != .none || goesOn || !prompts.waiting.isEmpty else { return [] }
    let trace = SessionTrace(trace)
    var changes: [ActivityChange] = []
    var turn = turn(in: trace, goesOn: goesOn)
    if run == .none, goesOn || turn != nil { changes += open(turn, at: now) }
    while let present = turn {
      opening.text = opening.text ?? present.prompt
      changes += load(present, goesOn: goesOn, at: now)
      guard let next = trace.turn(after: present) else { break }
      // Another prompt has begun behind this one.
      changes += finish(outcome(of: present), at: now) + open(next, at: now)
      turn = next
    }
    return changes + (goesOn ? goOn(session) : end(turn, at: now))
  }

  /// Whether a session as listed is at work on the turn.
  private func goesOn(_ session: Session) -> Bool {
    switch session.status {
    case .busy, .stopping: return true
    case .unknown: return run != .none
    case .starting: return run == .awaited
    case .ready:
      // The status says nothing of an attempt that is about to be made.
      if case .ended(let sequel, _) = run { return sequel != .unknown }
      return false
    case .stopped, .error: return false
    }
  }

  /// The turn from which the trace is news.
  private func turn(in trace: SessionTrace, goesOn: Bool) -> TraceTurn? {
    if let own, !own.text.isEmpty { return trace.turn(of: own) }
    if run != .none, own == nil, let text = opening.text,
      let turn = trace.turn(openedBy: text)
    {
      return turn
    }
    let begun = prompts.waiting.lazy.compactMap { trace.turn(of: $0) }.first
    guard let begun else {
      return run == .none && !goesOn && !prompts.waiting.isEmpty ? nil : trace.lastTurn
    }
    return run == .none ? begun : trace.turn(before: begun) ?? begun
  }

  private mutating func open(_ turn: TraceTurn?, at now: Timestamp) -> [ActivityChange] {
    let text = turn?.prompt
    let item = text.flatMap { takeFromQueue(text: $0) }
    let prompt =
      item.flatMap { prompts.takeQueued(id: $0.id) }
      ?? text.flatMap { prompts.take(text: $0) }
    let changes = startTurn(at: now, own: prompt)
    opening.id = item?.id
    opening.text = text
    return changes
  }

  /// Leaves a turn that goes on where the agent's next message finds it.
  private mutating func goOn(_ session: Session) -> [ActivityChange] {
    if session.status == .busy || session.status == .stopping {
      run = .active
      activity.retry = nil
    }
    guard session.status == .stopping else { return [] }
    return hearStop()
  }

  /// Ends a turn that is over, and what can no longer begin.
  private mutating func end(_ turn: TraceTurn?, at now: Timestamp) -> [ActivityChange] {
    var changes: [ActivityChange] = []
    switch run {
    case .none: break
    case .ended(.unknown, let end): changes = finish(ownOutcome, at: end)
    default: changes = finish(outcome(of: turn), at: now)
    }
    activity.queue = []
    return changes + giveUp(prompts.takeAll(), because: OutcomeDoubt.notInTrace)
  }

  /// What a turn came to whose end nobody saw, unless its run was seen to end.
  func outcome(of turn: TraceTurn?) -> TurnOutcome {
    if case .ended(.unknown, _) = run { return ownOutcome }
    if isStopRequested { return .stopped(reason: nil) }
    if let error { return .failed(error) }
    guard let turn else { return .unknown(reason: OutcomeDoubt.notInTrace) }
    if let answer = turn.answer { return .succeeded(answer: answer) }
    return .unknown(reason: OutcomeDoubt.cutOff)
  }
}
