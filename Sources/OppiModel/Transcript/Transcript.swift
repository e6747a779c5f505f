// SPDX-License-Identifier: MIT

/// A session's conversation, turn by turn, as the server has written it down.
///
/// A turn is only made when it is asked for, so that the end of a long conversation costs little.
package struct Transcript: Sendable {
  /// What a turn is made of.
  private struct Entry {
    /// Its entries in the trace, where that has any.
    var trace: TraceTurn?
    /// What is known beside the trace.
    var outcome: TurnOutcome?
    var activity: TurnActivity?
    var prompt: String?
    /// How many calls there were before it.
    var callCount = 0
  }

  /// So many entries take milliseconds to be divided into turns.
  package static let quickCount = 500
  /// The refused prompts in a row of which events tell and the trace does not, at the most.
  private static let gapLimit = 8

  private var entries: [Entry]
  private let now: Timestamp
  /// Whether it takes milliseconds to make all the turns.
  package let isLong: Bool
  /// How many calls there are in all turns.
  package private(set) var callCount = 0

  /// Makes the conversation of a session.
  ///
  /// - Parameters:
  ///   - trace: The entries as the server lists them.
  ///   - session: The session as listed with them.
  ///   - events: The durable events since the agent was loaded; empty where it is not loaded, or
  ///     where the server has not kept them all. They tell failures and stops, of which the trace
  ///     knows nothing.
  ///   - isAtWork: Whether the last turn still runs.
  ///   - requests: What waits for the user's word meanwhile.
  ///   - now: The moment to write where the trace tells no other.
  package init(
    trace: JSONValue,
    session: Session,
    events: [ServerMessage],
    isAtWork: Bool,
    requests: [PermissionRequest] = [],
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
      for request in requests {
        _ = reducer.apply(ServerMessage(.permissionRequest(request)), at: now)
      }
      add(reducer.activity.atWork, of: turn, prompt: reducer.openingText)
    } else if let last = ActivityReducer.lastTurn(in: log, of: session, heard: heard, at: now) {
      add(last.activity, of: last.turn.map(log.rest), prompt: heard.reducer.openingText)
    }
    for index in entries.indices {
      entries[index].callCount = callCount
      callCount += entries[index].trace?.callCount ?? 0
    }
  }

  /// The turn that runs, where the trace has it: that lacks a prompt whose turn has said nothing yet.
  private static func turnAtWork(in log: SessionTrace, _ heard: HeardTurns) -> TraceTurn? {
    guard let prompt = heard.reducer.openingText else { return log.lastTurn }
    let activity = heard.reducer.activity
    let isSilent = activity.text.isEmpty && activity.toolCalls.isEmpty
    let isRepeated = heard.ended.contains { $0.prompt == prompt }
    let turn = log.turnAtWork(openedBy: prompt)
    // What has been said then was said in the turn before.
    return turn.flatMap { isSilent && isRepeated && $0.entries.count > 1 ? nil : $0 }
  }

  /// Finds the turns whose ends were heard, from the last one back.
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

  /// Takes what is known of the last turn, which may be in no trace.
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

  /// How many turns there are.
  package var count: Int { entries.count }

  /// The last turn; `nil` where nothing was ever asked.
  package var last: PastTurn? { entries.isEmpty ? nil : turn(at: entries.count - 1) }

  /// Returns the last turns, or the last of those before another one.
  ///
  /// - Parameters:
  ///   - count: The most turns.
  ///   - number: The number of the turn before which they are; `nil` for the end of the conversation.
  /// - Returns: The turns, the oldest first.
  package func turns(last count: Int, before number: Int? = nil) -> [PastTurn] {
    let end = min(max(1, number ?? .max) - 1, entries.count)
    return (end - min(max(0, count), end)..<end).map(turn(at:))
  }

  /// Returns a call by its number; `nil` where there is none.
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
  /// The session, which is at work whatever was written down of it.
  fileprivate var atWork: Session {
    var session = self
    if !status.isAtWork { session.status = .busy }
    return session
  }
}

extension TurnActivity {
  /// The turn, which runs whatever was seen of it.
  fileprivate var atWork: TurnActivity {
    var activity = self
    if isFinished || status == .idle {
      activity = TurnActivity()
      activity.status = .running
    }
    return activity
  }
}
