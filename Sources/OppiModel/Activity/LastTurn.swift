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
  ) -> TurnActivity? {
    lastTurn(
      in: SessionTrace(trace),
      of: session,
      heard: HeardTurns(events, sessionID: session.id, at: now),
      at: now
    )?.activity
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
    guard case .succeeded(let answer) = outcome else { return outcome }
    let trace = SessionTrace([["type": "assistant", "text": .string(answer)]])
    return trace.ends(with: session.lastMessage ?? "") ? outcome : nil
  }

  typealias TracedTurn = (turn: TraceTurn?, activity: TurnActivity)

  static func lastTurn(
    in trace: SessionTrace,
    of session: Session,
    heard: HeardTurns,
    at now: Timestamp
  ) -> TracedTurn? {
    let last = heard.reducer.activity
    guard let outcome = last.outcome else { return lastTurn(in: trace, of: session, at: now) }
    // Older servers do not report a prompt that the agent did not accept.
    if case .succeeded = outcome, trace.lastTurn != nil,
      !trace.ends(with: session.lastMessage ?? "")
    {
      return (nil, activity(of: nil, outcome: nil, at: now))
    }
    // A refused prompt has no message.
    guard let turn = heard.reducer.openingText.flatMap(trace.turn(openedBy:)) else {
      return (nil, last)
    }
    return (turn, activity(of: turn, outcome: outcome, at: now))
  }

  private static func lastTurn(
    in trace: SessionTrace,
    of session: Session,
    at now: Timestamp
  ) -> TracedTurn? {
    let last = trace.lastTurn
    guard session.messageCount > 0 || last != nil else { return nil }
    let isComplete = session.messageCount == 0 || trace.ends(with: session.lastMessage ?? "")
    let turn = isComplete ? last : nil
    return (turn, activity(of: turn, outcome: nil, at: now))
  }

  /// Builds a finished turn from its trace entries.
  static func activity(
    of turn: TraceTurn?,
    outcome: TurnOutcome?,
    at now: Timestamp
  ) -> TurnActivity {
    var past = Turn(after: Turn(), at: turn?.startedAt ?? now, own: nil)
    if let turn { _ = past.load(turn, goesOn: false, at: now) }
    _ = past.finish(outcome ?? past.outcome(in: turn), at: turn?.endedAt ?? now)
    return past.activity(queue: [], statuses: [])
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
    for event in events { hear { $0.apply(event, at: now) } }
    if !isAtWork { hear { $0.settle() } }
  }

  private mutating func hear(_ step: (inout ActivityReducer) -> [ActivityChange]) {
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
