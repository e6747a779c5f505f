// SPDX-License-Identifier: MIT

extension ActivityReducer {
  /// Returns the last turn of an idle session with its outcome; `nil` if no prompt was ever sent.
  ///
  /// Failures and refused prompts appear only in the events, not in the trace. Without events, a
  /// turn whose answer is not in the trace has an unknown outcome. `events` are the durable events
  /// since the agent was loaded; empty if it is not loaded or the server has not kept them all.
  /// `now` is used where the trace has no time.
  package static func lastTurn(
    trace: JSONValue,
    session: Session,
    events: [ServerMessage],
    at now: Timestamp
  ) -> Turn? {
    let last = lastTurn(
      in: SessionTrace(trace),
      of: session,
      heard: HeardTurns(events, sessionID: session.id, at: now)
    )
    guard let last else { return nil }
    var turn = last.turn
    if let trace = last.trace { turn.record(trace, at: now) }
    turn.startedAt = turn.startedAt ?? now
    turn.endedAt = turn.endedAt ?? now
    return turn
  }

  /// The outcome of an idle session's last turn from the events alone; `nil` if the trace is
  /// needed.
  package static func lastOutcome(
    of session: Session,
    events: [ServerMessage],
    at now: Timestamp
  ) -> TurnOutcome? {
    let heard = HeardTurns(events, sessionID: session.id, at: now)
    guard let outcome = heard.reducer.activity.outcome else { return nil }
    guard let answer = outcome.answer else { return outcome }
    let trace = SessionTrace([["type": "assistant", "text": .string(answer)]])
    return trace.ends(with: session.lastMessage ?? "") ? outcome : nil
  }

  /// The entries of the last turn, if the trace has it, and the turn as far as it is not recorded.
  static func lastTurn(
    in trace: SessionTrace,
    of session: Session,
    heard: HeardTurns
  ) -> (trace: TraceTurn?, turn: Turn)? {
    let last = trace.lastTurn
    let endsWithMessage = trace.ends(with: session.lastMessage ?? "")
    let turn = heard.reducer.activity
    guard let outcome = turn.outcome else {
      guard session.messageCount > 0 || last != nil else { return nil }
      let isComplete = session.messageCount == 0 || endsWithMessage
      return isComplete ? (last, Turn(endedAs: TurnOutcome(in: last))) : unrecorded
    }
    // Older servers do not report a prompt that the agent did not accept.
    if outcome.answer != nil, last != nil, !endsWithMessage { return unrecorded }
    // A refused prompt has no message.
    guard let trace = heard.reducer.openingText.flatMap(trace.turn(openedBy:)) else {
      return (nil, turn)
    }
    return (trace, Turn(endedAs: outcome))
  }

  /// A turn that was lost, or whose prompt was refused.
  private static var unrecorded: (trace: TraceTurn?, turn: Turn) {
    (nil, Turn(endedAs: TurnOutcome(in: nil)))
  }
}

/// The turns found in the durable events since the agent was loaded.
struct HeardTurns: Sendable {
  /// A finished turn: the start of its prompt, if known, and the outcome.
  typealias Ended = (prompt: String?, outcome: TurnOutcome)

  /// The reducer after all events; if the agent is idle, it is settled.
  private(set) var reducer: ActivityReducer
  /// In order, including the last turn if it is over.
  private(set) var ended: [Ended] = []

  /// Applies the events; settles the last turn unless the agent is working.
  init(_ events: [ServerMessage], sessionID: String, isAtWork: Bool = false, at now: Timestamp) {
    reducer = ActivityReducer(sessionID: sessionID)
    for event in events { observe { $0.apply(event, at: now) } }
    if !isAtWork { observe { $0.settle() } }
  }

  private mutating func observe(_ step: (inout ActivityReducer) -> [ActivityChange]) {
    var prompt = reducer.openingText
    for change in step(&reducer) {
      switch change {
      case .turnStarted: prompt = nil
      case .turnFinished(let outcome, _): ended.append((prompt, outcome))
      default: break
      }
    }
  }
}
