// SPDX-License-Identifier: MIT

extension ActivityReducer {
  /// Returns the last turn of a session that is at rest, with what it came to.
  ///
  /// The events tell failures and refused prompts, of which the trace knows nothing; without them
  /// a turn whose answer is not in the trace has an unknown outcome.
  /// - Parameters:
  ///   - trace: The entries as the server lists them.
  ///   - session: The session as listed with them.
  ///   - events: The durable events since the agent was loaded; empty where it is not loaded, or
  ///     where the server has not kept them all.
  ///   - now: The moment to write where the trace tells no other.
  /// - Returns: The turn, finished; `nil` where nothing was ever asked.
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

  /// Returns what the last turn of a session at rest came to where the events alone tell; `nil`
  /// where the trace has to be asked.
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

  /// A turn, with its entries where the trace has any.
  typealias TracedTurn = (turn: TraceTurn?, activity: TurnActivity)

  static func lastTurn(
    in trace: SessionTrace,
    of session: Session,
    heard: HeardTurns,
    at now: Timestamp
  ) -> TracedTurn? {
    let last = heard.reducer.activity
    guard let outcome = last.outcome else { return lastTurn(in: trace, of: session, at: now) }
    // An older server says nothing of a prompt that its agent did not take.
    if case .succeeded = outcome, trace.lastTurn != nil,
      !trace.ends(with: session.lastMessage ?? "")
    {
      return (nil, activity(of: nil, outcome: nil, at: now))
    }
    // A prompt that was refused has no message.
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

  /// Makes a finished turn of what the trace has of it.
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
