// SPDX-License-Identifier: MIT

/// A session's conversation, turn by turn, as recorded by the server.
///
/// Turns are built on demand, so that showing the end of a long conversation is cheap.
package struct Transcript: Sendable {
  private struct Entry {
    /// Its entries in the trace, if any.
    var trace: TraceTurn?
    /// Known in addition to the trace.
    var outcome: TurnOutcome?
    var activity: TurnActivity?
    var prompt: String?
    var callCount = 0
  }

  /// Dividing this many entries into turns takes milliseconds.
  package static let quickCount = 500
  /// The most consecutive refused prompts that are in the events but not in the trace.
  private static let gapLimit = 8

  private var entries: [Entry]
  private let now: Timestamp
  /// Whether building all turns takes longer than milliseconds.
  package let isLong: Bool
  package private(set) var callCount = 0

  /// Builds the conversation of a session.
  ///
  /// - Parameters:
  ///   - trace: The entries as the server lists them.
  ///   - session: The session as listed with the entries.
  ///   - events: The durable events since the agent was loaded; empty if it is not loaded or the
  ///     server has not kept them all. Only they contain failures and stops.
  ///   - isAtWork: Whether the last turn is still running.
  ///   - requests: The pending requests.
  ///   - listsQuestions: Whether the pending questions are among them.
  ///   - now: The time to use where the trace has none.
  package init(
    trace: JSONValue,
    session: Session,
    events: [ServerMessage],
    isAtWork: Bool,
    requests: [HumanRequest] = [],
    listsQuestions: Bool = false,
    at now: Timestamp
  ) {
    self.now = now
    isLong = trace.array?.count ?? 0 > Self.quickCount
    let log = SessionTrace(trace)
    entries = log.turns.map { Entry(trace: $0) }
    let heard = HeardTurns(events, sessionID: session.id, isAtWork: isAtWork, at: now)
    take(heard.ended)
    if isAtWork {
      var reducer = heard.reducer
      let turn = Self.turnAtWork(in: log, heard)
      if turn != nil { _ = reducer.load(trace: trace, session: session.atWork, at: now) }
      for request in requests.compactMap(\.permission) {
        _ = reducer.apply(ServerMessage(.permissionRequest(request)), at: now)
      }
      var activity = reducer.activity.atWork
      // The events need not tell which questions were answered.
      if listsQuestions { activity.questions = requests.compactMap(\.question) }
      add(activity, of: turn, prompt: reducer.openingText)
    } else if let last = ActivityReducer.lastTurn(in: log, of: session, heard: heard, at: now) {
      add(last.activity, of: last.turn.map(log.rest), prompt: heard.reducer.openingText)
    }
    for index in entries.indices {
      entries[index].callCount = callCount
      callCount += entries[index].trace?.callCount ?? 0
    }
  }

  /// The running turn if the trace has it: a prompt without any answer is not in the trace.
  private static func turnAtWork(in log: SessionTrace, _ heard: HeardTurns) -> TraceTurn? {
    guard let prompt = heard.reducer.openingText else { return log.lastTurn }
    let activity = heard.reducer.activity
    let isSilent = activity.text.isEmpty && activity.toolCalls.isEmpty
    let isRepeated = heard.ended.contains { $0.prompt == prompt }
    let turn = log.turnAtWork(openedBy: prompt)
    // The entries belong to an earlier turn with the same prompt.
    return turn.flatMap { isSilent && isRepeated && $0.entries.count > 1 ? nil : $0 }
  }

  /// Assigns outcomes from the events to the turns, from the last one back.
  private mutating func take(_ ended: [HeardTurns.Ended]) {
    var end = entries.endIndex
    for (prompt, outcome) in ended.reversed() {
      guard let prompt else { continue }
      let near = max(0, end - Self.gapLimit)..<end
      guard let index = near.last(where: { entries[$0].trace?.isOpened(by: prompt) == true }) else {
        continue
      }
      entries[index].outcome = outcome
      end = index
    }
  }

  /// Adds the last turn, which may be missing from the trace.
  private mutating func add(_ activity: TurnActivity, of turn: TraceTurn?, prompt: String?) {
    let index = turn.flatMap { turn in
      entries.lastIndex { $0.trace?.entries.startIndex == turn.entries.startIndex }
    }
    if let index {
      entries[index...] = [Entry(trace: turn, activity: activity)]
    } else {
      entries.append(Entry(activity: activity, prompt: prompt))
    }
  }

  // MARK: - Turns

  package var count: Int { entries.count }

  package var last: PastTurn? { entries.isEmpty ? nil : turn(at: entries.count - 1) }

  /// Returns at most `count` turns, oldest first: the last ones, or those before turn `number`.
  package func turns(last count: Int, before number: Int? = nil) -> [PastTurn] {
    let end = min(max(1, number ?? .max) - 1, entries.count)
    return (end - min(max(0, count), end)..<end).map(turn(at:))
  }

  package func call(_ number: Int) -> PastCall? {
    guard (1...max(1, callCount)).contains(number),
      let index = entries.lastIndex(where: { $0.callCount < number })
    else { return nil }
    return turn(at: index).calls.first { $0.number == number }
  }

  private func turn(at index: Int) -> PastTurn {
    let entry = entries[index]
    let activity =
      entry.activity
      ?? ActivityReducer.activity(of: entry.trace, outcome: entry.outcome, at: now)
    return PastTurn(
      number: index + 1,
      entry.trace,
      activity,
      prompt: entry.prompt,
      callsBefore: entry.callCount,
      at: now
    )
  }
}

extension Session {
  /// The session with a status that counts as working.
  fileprivate var atWork: Session {
    var session = self
    if !status.isAtWork { session.status = .busy }
    return session
  }
}

extension TurnActivity {
  /// The activity with a status that counts as running.
  fileprivate var atWork: TurnActivity {
    var activity = self
    if isFinished || status == .idle {
      activity = TurnActivity()
      activity.status = .running
    }
    return activity
  }
}
