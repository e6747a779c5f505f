// SPDX-License-Identifier: MIT

/// What is known from the session's trace where messages were missed that cannot be had again.
extension Turns {
  /// Takes the trace as the truth about what was missed.
  mutating func load(
    _ trace: SessionTrace,
    goesOn: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    var changes: [ActivityChange] = []
    var turn = turn(in: trace, goesOn: goesOn)
    if run == .none, goesOn || turn != nil { changes += open(turn, at: now) }
    while let present = turn {
      changes += load(present, goesOn: goesOn, at: now)
      guard let next = trace.turn(after: present) else { break }
      // Another prompt has begun behind this one.
      changes += finish(outcome(in: present), at: now) + open(next, at: now)
      turn = next
    }
    return goesOn ? changes : changes + end(turn, at: now)
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
    return run == .none ? begun : trace.turn(before: begun) ?? begun
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
