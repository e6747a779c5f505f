// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// Restores from the session's trace what was missed and cannot be received again.
extension ActivityReducer {
  /// Loads what was missed from the session's trace, after joining a running turn or after a gap.
  ///
  /// Loads the turn of this program's prompt if there is one, else the turn seen before, else the
  /// last turn. A finished turn takes its answer from the trace; without an answer there, its
  /// outcome is unknown. A turn that was never seen and is already over is skipped, and a turn that
  /// waits for a retry continues.
  /// - Parameters:
  ///   - trace: The entries as the server lists them.
  ///   - session: The session as listed with the entries.
  ///   - isAgentLost: Whether the agent that ran the turn is known to be gone, whatever the status
  ///     is: its events are missing, or the session's sequence number decreased.
  ///   - now: The time of loading.
  /// - Returns: The changes since the last message.
  package mutating func load(
    trace: JSONValue,
    session: Session,
    isAgentLost: Bool = false,
    at now: Timestamp
  ) -> [ActivityChange] {
    let isLost = isAgentLost || present.isAgentReplaced
    present.isAgentReplaced = false
    counter.catchUp()
    guard !isLost && run.goesOn(session.status) || expectsNews else {
      return waiting.giveUpOrphans()
    }
    let joins = run == .none
    let changes = load(SessionTrace(trace), session.status, isAgentLost: isLost, at: now)
    guard run != .none, session.status.isAtWork else { return changes }
    // The agent is working on the turn, whatever was announced before; a failure was of another run.
    if run != .active { present.recover() }
    (run, present.known.retry) = (.active, nil)
    if joins { present.speech.joinMessage() }
    return session.status == .stopping ? changes + requestStop() : changes
  }

  private mutating func load(
    _ trace: SessionTrace,
    _ status: Session.Status,
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
    var steered = present.steered
    while let present = turn {
      changes += load(present, goesOn: goesOn, at: now)
      guard let next = trace.turn(after: present) else { break }
      let hash = next.prompt.map(TurnBuilder.hash)
      if let index = steered.firstIndex(where: { $0 == hash }) {
        steered.remove(at: index)
        turn = next
        continue
      }
      // Another prompt has started after this one.
      let outcome = outcome(in: present, isAgentGone: isAgentLost)
      changes += finish(outcome, at: now) + open(next, at: now)
      turn = next
      // The status refers to the agent that runs this turn.
      goesOn = run.goesOn(status)
    }
    let isAgentGone = isAgentLost || status == .stopped
    guard goesOn else { return changes + end(turn, isAgentGone: isAgentGone, at: now) }
    return changes + (isAgentLost ? waiting.giveUpQueue() : waiting.giveUpOrphans())
  }

  /// Whether the trace may contain a turn that no message has announced: a turn other than the
  /// current one, or one whose prompt the agent has not answered yet.
  package func mayHaveBegun(inTrace json: JSONValue) -> Bool {
    guard run != .none else { return expectsNews }
    let trace = SessionTrace(json)
    let prompt = present.own?.text ?? present.opening.text
    return trace.endsWithPrompt
      || prompt.map { trace.lastTurn?.isOpened(by: $0) == false } == true
  }

  /// The first turn of the trace to load.
  ///
  /// That is the turn of this program's prompt if there is one, else the turn seen before, else the
  /// last one.
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
    // If the turn before the prompt was already reported, the joined run belongs to the prompt.
    return endedPrompt.map(before.isOpened) == true ? begun : before
  }

  /// Assigns the prompt of a turn that was joined before its prompt was seen.
  private mutating func adoptPrompt(of turn: TraceTurn?, in trace: SessionTrace) {
    guard let turn, present.own == nil, present.opening.text == nil else { return }
    if let text = turn.prompt { waiting.forgetGone(text: text) }
    let prompt = waiting.own.first { prompt in
      trace.turn(of: prompt)?.entries.startIndex == turn.entries.startIndex
    }
    if let own = prompt.flatMap({ waiting.takeOwn(text: $0.text) }) { present.own = own }
  }

  private mutating func open(_ turn: TraceTurn?, at now: Timestamp) -> [ActivityChange] {
    let text = turn?.prompt
    let item = text.flatMap { waiting.takeMessage(text: $0) }
    let prompt =
      item.flatMap { waiting.takeOwn(queuedAs: $0.id) }
      ?? text.flatMap { waiting.takeOwn(text: $0) }
    return start(at: now, own: prompt, opening: (item?.id, text))
  }

  private mutating func load(
    _ turn: TraceTurn,
    goesOn: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    present.trace(turn.prompt)
    let (changes, steered) = present.load(turn, goesOn: goesOn, at: now)
    for text in steered { _ = waiting.takeMessage(text: text) }
    return changes
  }

  /// The outcome of the turn; its end was not seen unless its run was seen to end.
  private func outcome(in turn: TraceTurn?, isAgentGone: Bool) -> TurnOutcome {
    guard run.doubtfulEnd == nil else { return present.outcome }
    return present.outcome(in: turn, isAgentGone: isAgentGone)
  }

  /// Ends a finished turn and gives up prompts that can no longer start.
  private mutating func end(
    _ turn: TraceTurn?,
    isAgentGone: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    let end = run.doubtfulEnd ?? now
    let outcome = outcome(in: turn, isAgentGone: isAgentGone)
    let changes = run == .none ? [] : finish(outcome, at: end)
    return changes + waiting.giveUpQueue()
      + waiting.endOwn(as: .unknown(reason: UnknownReason.notInTrace)) { _ in true }
  }
}

/// Loads trace entries as missed messages.
extension TurnBuilder {
  /// Applies the turn's entries in order; entries seen before change nothing.
  ///
  /// `goesOn` is true if the turn is still running. Returns the changes and the messages that were
  /// sent to the running turn.
  mutating func load(
    _ trace: TraceTurn,
    goesOn: Bool,
    at now: Timestamp
  ) -> (changes: [ActivityChange], steered: [String]) {
    let isBetweenMessages = !speech.isWriting && !calls.hasPlanned
    let (phase, finished, steps) = (calls.phase, trace.finishedCalls, trace.steps)
    /// Calls that were not seen live, so that all their times come from the server.
    var unseen: Set<String> = []
    var (changes, steered): ([ActivityChange], [String]) = ([], [])
    speech.beginLoading()
    for step in steps.dropFirst(droppedSteps(in: steps)) {
      switch step {
      case .prompt: speech.loadUser()
      case .steer(let text):
        speech.loadUser()
        steered.append(text)
      case .text(let text):
        calls.haveRun = false
        guard let read = speech.load(text, goesOn: goesOn) else { continue }
        recover()
        changes += read
      case .call(let call, let time):
        let start = call.id.map(finished.contains) == true ? time : nil
        let count = calls.count
        recover()
        changes += calls.load(call, at: start ?? now)
        if let id = call.id, start != nil, calls.count > count { unseen.insert(id) }
      case .result(let result):
        // A duration needs both times from one clock.
        let isUnseen = result.callID.map(unseen.contains) == true
        let read = calls.load(result, at: isUnseen ? result.time ?? now : now)
        changes += noting(read, endOf: result.tool)
      }
    }
    // The next messages are live again.
    calls.phase = isBetweenMessages || !goesOn ? .executing(announced: true) : phase
    speech.endLoading()
    return (changes, steered)
  }

  /// The number of leading steps whose calls are no longer kept.
  private func droppedSteps(in steps: [TraceTurn.Step]) -> Int {
    guard calls.droppedCount > 0 else { return 0 }
    return steps.firstIndex { step in
      guard case .call(let call, _) = step else { return false }
      return calls.all.contains { $0.wireID == call.id }
    } ?? 0
  }
}
