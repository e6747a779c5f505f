// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A session's conversation, turn by turn, as recorded by the server.
///
/// Turns are built on demand, so that showing the end of a long conversation is cheap.
package struct Transcript: Sendable {
  private struct Entry {
    /// Its entries in the trace, if any.
    var trace: TraceTurn?
    /// Known in addition to the trace.
    var outcome: TurnOutcome?
    /// The turn as far as it is not recorded.
    var turn: Turn?
    var prompt: String?
    var callCount = 0
  }

  /// Dividing this many entries into turns takes milliseconds.
  package static let quickCount = 500
  /// The most consecutive refused prompts that are in the events but not in the trace.
  private static let gapLimit = 8

  private var entries: [Entry]
  private let now: Timestamp
  /// The number of entries in the trace.
  package let entryCount: Int
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
    entryCount = trace.array?.count ?? 0
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
      var live = reducer.activity.atWork
      // The events need not tell which questions were answered.
      if listsQuestions {
        live.questions = requests.compactMap(\.question)
        live.unreported = nil
      }
      add(live, in: turn, prompt: reducer.openingText)
    } else if let last = Self.lastTurn(in: log, of: session, heard: heard) {
      add(last.turn, in: last.trace.map(log.rest), prompt: heard.reducer.openingText)
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

  /// The entries of an idle session's last turn, if the trace has it, and the turn as far as it is
  /// not recorded.
  ///
  /// Failures and refused prompts appear only in the events, not in the trace. Without events, a
  /// turn whose answer is not in the trace has an unknown outcome.
  private static func lastTurn(
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
  private mutating func add(_ turn: Turn, in trace: TraceTurn?, prompt: String?) {
    guard let trace else { return entries.append(Entry(turn: turn, prompt: prompt)) }
    let start = trace.entries.startIndex
    entries.removeAll { $0.trace.map { $0.entries.startIndex >= start } ?? false }
    // A prompt after a turn that ended with a call's result looks like a steering message of it.
    if let earlier = entries.last?.trace?.entries, earlier.endIndex > start {
      entries[entries.count - 1].trace = TraceTurn(entries: earlier[..<start])
    }
    entries.append(Entry(trace: trace, turn: turn))
  }

  // MARK: - Turns

  package var count: Int { entries.count }

  package var last: Turn? { entries.isEmpty ? nil : turn(at: entries.count - 1) }

  /// The last turn alone: its calls have no numbers, and unknown times are those of the reading.
  package var lastAlone: Turn? {
    guard let entry = entries.last else { return nil }
    var turn = turn(of: entry, callsBefore: nil)
    (turn.startedAt, turn.endedAt) = (turn.startedAt ?? now, turn.endedAt ?? now)
    return turn
  }

  /// Returns at most `count` turns, oldest first: the last ones, or those before turn `number`.
  package func turns(last count: Int, before number: Int? = nil) -> [Turn] {
    let end = min(max(1, number ?? .max) - 1, entries.count)
    return (end - min(max(0, count), end)..<end).map(turn(at:))
  }

  package func call(_ number: Int) -> ToolCallActivity? {
    guard (1...max(1, callCount)).contains(number),
      let index = entries.lastIndex(where: { $0.callCount < number })
    else { return nil }
    return turn(at: index).calls.first { $0.number == number }
  }

  private func turn(at index: Int) -> Turn {
    let entry = entries[index]
    var turn = turn(of: entry, callsBefore: entry.callCount)
    turn.number = index + 1
    if entry.trace == nil { turn.take(prompt: entry.prompt) }
    return turn
  }

  private func turn(of entry: Entry, callsBefore count: Int?) -> Turn {
    var turn = entry.turn ?? Turn(endedAs: entry.outcome ?? TurnOutcome(in: entry.trace))
    turn.record(entry.trace, callsBefore: count, at: now)
    return turn
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

extension Turn {
  /// The turn with a status that counts as running.
  fileprivate var atWork: Turn {
    guard isFinished || status == .idle else { return self }
    var turn = Turn()
    turn.status = .running
    return turn
  }

  init(endedAs outcome: TurnOutcome) { status = .finished(outcome) }

  /// Takes what the trace records of the turn, if it has the turn.
  ///
  /// A running turn keeps what is known of its calls. `callsBefore` is the number of calls in earlier
  /// turns; `nil` if unknown.
  fileprivate mutating func record(_ trace: TraceTurn?, callsBefore: Int?, at now: Timestamp) {
    (startedAt, endedAt) = (trace?.startedAt, trace?.endedAt)
    guard let trace else { return }
    take(prompt: trace.wholePrompt)
    let recorded = trace.steps
    /// By call id, the latest first.
    var results: [String: [TraceTurn.Result]] = [:]
    for case .result(let result) in recorded.reversed() {
      if let id = result.callID { results[id, default: []].append(result) }
    }
    var number = callsBefore
    steps = recorded.compactMap { step in
      switch step {
      case .prompt, .result: return nil
      case .steer(let text): return .steer(text.withoutMedia.text)
      case .text(let text): return text.isEmpty ? nil : .text(text)
      case .call(let call, let time):
        let result = call.id.flatMap { results[$0]?.popLast() }
        number = number.map { $0 + 1 }
        var recorded = shown(self.call(call, result, at: time, now: now))
        recorded.number = number ?? 0
        recorded.recordedOutput = result?.output
        return .call(recorded)
      }
    }
    guard isFinished else { return }
    let all = self.calls
    toolCalls = all.suffix(Self.callLimit)
    droppedCallCount = all.count - toolCalls.count
    let last = recorded.last { if case .text = $0 { true } else { false } }
    if case .text(let last)? = last { text = last.head(bytes: Self.textLimit) }
  }

  /// A recorded call with its result; a running turn knows more of a call without one.
  private func call(
    _ call: ToolCall,
    _ result: TraceTurn.Result?,
    at time: Timestamp?,
    now: Timestamp
  ) -> ToolCallActivity {
    if result == nil, !isFinished, let id = call.id,
      let known = toolCalls.last(where: { $0.wireID == id })
    {
      return known
    }
    // Apply the rules for calls to this call alone.
    var calls = ToolCalls()
    _ = calls.load(call, at: time ?? now)
    if let result { _ = calls.load(result, at: result.time ?? now) }
    if result == nil, isFinished { _ = calls.abandon(at: time ?? now, isEndKnown: true) }
    var recorded = calls.all[0]
    // Without both times, the duration is unknown.
    if time == nil || result?.time == nil { recorded.startedAt = nil }
    return recorded
  }

  fileprivate mutating func take(prompt: String?) {
    (self.prompt, imageCount) = (prompt?.withoutMedia.text, prompt?.withoutMedia.imageCount ?? 0)
  }
}

extension TurnOutcome {
  /// The outcome of a turn as its trace shows it, without failures and stops.
  init(in trace: TraceTurn?) {
    self =
      if let trace {
        trace.answer.map(TurnOutcome.succeeded) ?? .unknown(reason: UnknownReason.cutOff)
      } else {
        .unknown(reason: UnknownReason.notInTrace)
      }
  }
}

extension Transcript {
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
