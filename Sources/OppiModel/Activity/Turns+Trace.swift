// SPDX-License-Identifier: MIT

/// What is known from the session's trace where messages were missed that cannot be had again.
extension Turns {
  /// Takes the trace as the truth about what was missed.
  ///
  /// - Parameters:
  ///   - trace: The trace.
  ///   - status: The session's, as listed with it.
  ///   - isAgentLost: Whether the agent that ran the present turn is gone.
  ///   - now: The moment of loading.
  /// - Returns: What has changed; a turn that runs now goes on.
  mutating func load(
    _ trace: SessionTrace,
    status: Session.Status,
    isAgentLost: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    var changes: [ActivityChange] = []
    var goesOn = !isAgentLost && run.goesOn(status)
    var turn = turn(in: trace, goesOn: goesOn)
    if run != .none {
      adoptPrompt(of: turn, in: trace)
    } else if goesOn || turn != nil {
      changes += open(turn, at: now)
    }
    while let present = turn {
      changes += load(present, goesOn: goesOn, at: now)
      guard let next = trace.turn(after: present) else { break }
      // Another prompt has begun behind this one.
      changes += finish(outcome(in: present), at: now) + open(next, at: now)
      turn = next
      // It is the work of the agent that the status tells of.
      goesOn = run.goesOn(status)
    }
    guard goesOn else { return changes + end(turn, at: now) }
    return isAgentLost ? changes + waiting.giveUpQueue() : changes
  }

  /// Whether the last turn of the trace is another than the present one, or has only its prompt.
  func mayHaveBegun(in trace: SessionTrace) -> Bool {
    guard run != .none else { return true }
    let prompt = present.own?.text ?? present.opening.text
    return trace.endsWithPrompt
      || prompt.map { trace.lastTurn?.isOpened(by: $0) == false } == true
  }

  /// The turn from which the trace is news.
  ///
  /// That is this program's prompt where there is one, else the turn that was seen before, else the
  /// last.
  private func turn(in trace: SessionTrace, goesOn: Bool) -> TraceTurn? {
    if let own = present.own, !own.text.isEmpty { return trace.turn(of: own) }
    if run != .none, present.own == nil, let text = present.opening.text,
      let turn = trace.turn(openedBy: text)
    {
      return turn
    }
    let begun = waiting.own.lazy.compactMap { trace.turn(of: $0) }.first
    guard let begun else {
      return run == .none && !goesOn && !waiting.own.isEmpty ? nil : trace.lastTurn
    }
    guard run != .none, let before = trace.turn(before: begun) else { return begun }
    // The run that was joined is that of the prompt where the turn before it was told already.
    return endedPrompt.map(before.isOpened) == true ? begun : before
  }

  /// Takes the prompt of a turn that was joined before its prompt was seen.
  private mutating func adoptPrompt(of turn: TraceTurn?, in trace: SessionTrace) {
    guard let turn, present.own == nil, present.opening.text == nil else { return }
    let prompt = waiting.own.first { prompt in
      trace.turn(of: prompt)?.entries.startIndex == turn.entries.startIndex
    }
    if let own = prompt.flatMap({ waiting.takeOwn(text: $0.text) }) { present.adopt(own) }
  }

  private mutating func open(_ turn: TraceTurn?, at now: Timestamp) -> [ActivityChange] {
    let text = turn?.prompt
    let item = text.flatMap { waiting.takeMessage(text: $0) }
    let prompt =
      item.flatMap { waiting.takeOwn(queuedAs: $0.id) }
      ?? text.flatMap { waiting.takeOwn(text: $0) }
    return start(at: now, own: prompt, opening: Turn.Opening(id: item?.id, text: text))
  }

  private mutating func load(
    _ turn: TraceTurn,
    goesOn: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    present.keepOpening(turn.prompt)
    let (changes, steered) = present.load(turn, goesOn: goesOn, at: now)
    for text in steered { _ = waiting.takeMessage(text: text) }
    return changes
  }

  /// What the turn came to, whose end nobody saw unless its run was seen to end.
  private func outcome(in turn: TraceTurn?) -> TurnOutcome {
    run.doubtfulEnd == nil ? present.outcome(in: turn) : present.outcome
  }

  /// Ends a turn that is over, and what can no longer begin.
  private mutating func end(_ turn: TraceTurn?, at now: Timestamp) -> [ActivityChange] {
    let end = run.doubtfulEnd ?? now
    let changes = run == .none ? [] : finish(outcome(in: turn), at: end)
    return changes + waiting.giveUpQueue()
      + waiting.giveUpAllOwn(because: OutcomeDoubt.notInTrace)
  }
}
