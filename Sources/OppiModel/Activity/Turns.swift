// SPDX-License-Identifier: MIT

/// Where a session's turns begin and end, and whose they are.
///
/// One run of the agent may hold several turns: messages that were queued behind the first one run
/// inside it. A turn may also take several runs, with retries and compactions between them.
struct Turns: Sendable {
  private(set) var run = RunPhase.none
  /// The turn that runs, else the last one; it is told itself what happens within it.
  var present = Turn()
  /// The turn before, as it ended.
  private(set) var previous: TurnActivity?
  /// The prompt of the last turn that has ended, as far as it was kept.
  private(set) var endedPrompt: String?
  /// What waits for turns to come.
  var waiting = WaitingPrompts()
  /// Shown with each turn, and outlive it.
  var statuses = StatusLines()

  /// The present turn for those who show it.
  var activity: TurnActivity {
    present.activity(queue: waiting.queue, statuses: statuses.all)
  }

  /// Whether only the passing of time can tell the end.
  var isSettling: Bool { run.doubtfulEnd != nil || run == .none && waiting.hasQueuedOwn }

  // MARK: - Beginning and ending

  mutating func start(
    at now: Timestamp,
    own prompt: OwnPrompt?,
    opening: Turn.Opening = Turn.Opening()
  ) -> [ActivityChange] {
    if case .finished = present.fate.status { previous = activity }
    present = Turn(after: present, at: now, own: prompt, opening: opening)
    beginRun()
    return [.turnStarted(isOwn: prompt != nil)]
  }

  /// Begins a turn where there is none: the agent is seen at work.
  mutating func join(at now: Timestamp) -> [ActivityChange] {
    run == .none ? start(at: now, own: waiting.takeDirectOwn()) : []
  }

  mutating func finish(_ outcome: TurnOutcome, at end: Timestamp) -> [ActivityChange] {
    let changes = present.finish(outcome, at: end)
    endedPrompt = present.own?.text ?? present.opening.text
    run = .none
    return changes
  }

  /// Ends the turn with what it has come to by itself.
  mutating func finish(at end: Timestamp) -> [ActivityChange] {
    finish(present.outcome, at: end)
  }

  /// Ends the turn if its run is over and nothing is announced to follow.
  mutating func finishIfDoubtful() -> [ActivityChange] {
    run.doubtfulEnd.map { finish(at: $0) } ?? []
  }

  /// Ends what nothing has followed.
  mutating func settle() -> [ActivityChange] {
    guard isSettling else { return [] }
    return finishIfDoubtful() + waiting.giveUpQueuedOwn(because: OutcomeDoubt.stillQueued)
  }

  // MARK: - Prompts

  /// Takes a prompt that this program has handed over.
  mutating func begin(_ prompt: OwnPrompt, at now: Timestamp) -> [ActivityChange] {
    guard present.own != prompt, !waiting.own.contains(prompt) else { return [] }
    if prompt.isQueued {
      let hasBegun = run != .none && present.opening.id == prompt.id
      if hasBegun { present.adopt(prompt) } else { waiting.add(prompt) }
      return []
    }
    switch run {
    case .none, .ended(.unknown, _):
      let changes = finishIfDoubtful() + start(at: now, own: prompt)
      run = .awaited
      return changes
    case .resumed(let end, let begun):
      return finish(at: end) + start(at: begun, own: prompt)
    case .awaited, .active, .ended:
      waiting.add(prompt)
      return []
    }
  }

  /// Takes it that a message leaves the queue for the agent: one that follows opens a turn.
  mutating func begin(_ message: QueuedMessage, at now: Timestamp) -> [ActivityChange] {
    let message = message.bounded
    let prompt = waiting.take(message)
    defer { present.announceMessage() }
    guard message.kind == .followUp, run != .awaited else { return [] }
    let end = run.turnEnd(at: now).map { finish(at: $0) } ?? []
    return end + start(at: now, own: prompt, opening: Turn.Opening(id: message.id))
  }

  /// Takes a message of the user, which opens a turn or is told to the running one.
  mutating func hearUser(_ text: String, at now: Timestamp) -> [ActivityChange] {
    defer { if present.isFresh { present.keepOpening(text) } }
    present.calls.beginMessage()
    if present.expectsMessage, run == .active {
      present.hearAnnounced()
      return []
    }
    switch run {
    case .none: return start(at: now, own: takeOwn(text))
    case .awaited:
      if present.own?.isOvertaken(by: text) == true { return makeWay(at: now) }
      beginRun()
      return []
    case .active: return hearUserAtWork(text, at: now)
    case .resumed(let end, let begun):
      return finish(at: end) + start(at: begun, own: takeOwn(text))
    case .ended(_, let end): return finish(at: end) + start(at: now, own: takeOwn(text))
    }
  }

  /// Takes a message that nobody announced: on older servers, or after a gap.
  private mutating func hearUserAtWork(_ text: String, at now: Timestamp) -> [ActivityChange] {
    let item = waiting.takeMessage(text: text)
    let prompt =
      if let item { waiting.takeOwn(queuedAs: item.id) } else { waiting.takeOwn(text: text) }
    // Where nothing names the message, a complete answer before it tells that it is a new prompt.
    let opensTurn = prompt != nil || (item.map { $0.kind == .followUp } ?? present.hasAnswer)
    guard opensTurn else {
      present.speech.hearUser()
      return []
    }
    guard present.isFresh else { return finish(at: now) + start(at: now, own: prompt) }
    // It has opened the run itself.
    if present.own?.isOvertaken(by: text) == true { return makeWay(at: now) }
    if present.own == nil, let prompt { present.adopt(prompt) }
    return []
  }

  /// Takes this program's prompt that a run begins with.
  private mutating func takeOwn(_ text: String) -> OwnPrompt? {
    waiting.takeOwn(text: text) ?? waiting.takeDirectOwn()
  }

  private mutating func makeWay(at now: Timestamp) -> [ActivityChange] {
    finish(.unknown(reason: OutcomeDoubt.overtaken), at: now) + start(at: now, own: nil)
  }

  // MARK: - Runs

  /// Takes it that the agent is at work; a run that began again works on the same turn.
  mutating func takeUpWork() {
    present.goOn()
    if run != .active { beginRun() }
  }

  private mutating func beginRun() {
    run = .active
    present.beginRun()
  }

  mutating func startRun(at now: Timestamp) -> [ActivityChange] {
    switch run {
    case .none: return join(at: now)
    case .ended(_, let end): run = .resumed(endedAt: end, at: now)
    case .awaited: beginRun()
    case .active where present.isAgentReplaced:
      return finish(.unknown(reason: OutcomeDoubt.agentLost), at: now) + join(at: now)
    case .active, .resumed: break
    }
    return []
  }

  mutating func endRun(at now: Timestamp) -> [ActivityChange] {
    // The attempt that was announced is not made.
    if case .ended(.retry, _) = run { return finish(at: now) }
    guard run.isWorking else { return [] }
    takeUpWork()
    present.speech.endRun()
    run = .ended(.unknown, at: now)
    return []
  }

  /// Takes the announcement of what follows the run that is over.
  mutating func expect(_ sequel: RunPhase.Sequel) { run.expect(sequel) }

  /// Takes it that the agent is at work on the turn, whatever was announced before.
  mutating func goOn() {
    run = .active
    present.endRetry()
  }
}
