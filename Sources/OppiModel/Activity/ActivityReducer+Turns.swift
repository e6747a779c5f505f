// SPDX-License-Identifier: MIT

/// Where turns begin and end, and whose they are.
extension ActivityReducer {
  /// Whether only the passing of time can tell the end: the agent's run is over, and a retry, a
  /// compaction or a queued prompt may follow.
  ///
  /// Whoever feeds the reducer waits a moment and then calls ``settle(at:)``.
  package var isSettling: Bool {
    switch run {
    case .ended(.unknown, _): true
    case .none: prompts.hasQueued
    case .awaited, .active, .ended, .resumed: false
    }
  }

  /// Takes it that this program has handed a prompt over, whose turn is its own from then on.
  ///
  /// A prompt that was sent directly opens its turn at once, so that a refusal is known for its
  /// end; where another turn runs, the next one is its. A queued prompt waits for its turn.
  /// - Parameters:
  ///   - clientTurnID: The id that the prompt was sent with.
  ///   - prompt: Its text.
  ///   - isQueued: Whether it was sent to wait behind a running turn.
  ///   - now: The moment.
  /// - Returns: What has changed.
  package mutating func begin(
    clientTurnID: String,
    prompt: String,
    isQueued: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    let prompt = OwnPrompt(id: clientTurnID, text: prompt, isQueued: isQueued)
    guard own != prompt, !prompts.waiting.contains(prompt) else { return [] }
    if isQueued {
      if run != .none, opening.id == clientTurnID { own = prompt } else { prompts.add(prompt) }
      return []
    }
    var changes: [ActivityChange] = []
    switch run {
    case .none: break
    case .ended(.unknown, let end): changes = finish(ownOutcome, at: end)
    case .resumed(let end, let start):
      return finish(ownOutcome, at: end) + startTurn(at: start, own: prompt)
    case .awaited, .active, .ended:
      prompts.add(prompt)
      return []
    }
    changes += startTurn(at: now, own: prompt)
    run = .awaited
    return changes
  }

  /// Ends what nothing has followed; does nothing unless ``isSettling``.
  package mutating func settle(at now: Timestamp) -> [ActivityChange] {
    guard isSettling else { return [] }
    var changes: [ActivityChange] = []
    if case .ended(_, let end) = run { changes = finish(ownOutcome, at: end) }
    return changes + giveUp(prompts.takeQueued(), because: OutcomeDoubt.stillQueued)
  }

  func giveUp(_ prompts: [OwnPrompt], because reason: String) -> [ActivityChange] {
    prompts.map { _ in .turnFinished(.unknown(reason: reason), isOwn: true) }
  }

  /// Takes a message of the user, which opens a turn or is told to the running one.
  mutating func hearUser(_ text: String, at now: Timestamp) -> [ActivityChange] {
    defer { keepOpening(text) }
    phase = .writing
    if opening.isAnnounced, run == .active {
      opening.isAnnounced = false
      hasAnswer = false
      return []
    }
    switch run {
    case .none: return startTurn(at: now, own: takePrompt(text))
    case .awaited:
      if let changes = makeWay(for: text, at: now) { return changes }
      beginRun()
      return []
    case .active: return hearUserAtWork(text, at: now)
    case .resumed(let end, let start):
      return finish(ownOutcome, at: end) + startTurn(at: start, own: takePrompt(text))
    case .ended(_, let end):
      return finish(ownOutcome, at: end) + startTurn(at: now, own: takePrompt(text))
    }
  }

  /// Ends this program's turn where another prompt than its own has begun in its place: servers lose
  /// a prompt that comes a moment too late.
  private mutating func makeWay(for text: String, at now: Timestamp) -> [ActivityChange]? {
    guard let own, !own.text.isEmpty, !own.mayBeTemplate, !own.isText(of: text) else { return nil }
    return finish(.unknown(reason: OutcomeDoubt.overtaken), at: now) + startTurn(at: now, own: nil)
  }

  /// Takes this program's prompt that a run begins with.
  private mutating func takePrompt(_ text: String) -> OwnPrompt? {
    prompts.take(text: text) ?? prompts.takeDirect()
  }

  /// Whether nothing of the turn was seen yet, its prompt included.
  private var isFresh: Bool {
    opening.text == nil && activity.toolCalls.isEmpty && toldTexts.isEmpty && !activity.isWriting
  }

  /// Keeps the text that opened the turn, by which its trace is found.
  private mutating func keepOpening(_ text: String) {
    if isFresh { opening.text = text.head(bytes: OutcomeDoubt.textLimit) }
  }

  /// Takes a message that nobody announced: on older servers, or after a gap.
  private mutating func hearUserAtWork(_ text: String, at now: Timestamp) -> [ActivityChange] {
    let item = takeFromQueue(text: text)
    let prompt =
      if let item { prompts.takeQueued(id: item.id) } else { prompts.take(text: text) }
    // Where nothing names the message, a complete answer before it tells that it is a new prompt.
    let opensTurn = prompt != nil || (item.map { $0.kind == .followUp } ?? hasAnswer)
    hasAnswer = hasAnswer && opensTurn
    guard opensTurn else { return [] }
    // It has opened the run itself.
    if isFresh {
      if let changes = makeWay(for: text, at: now) { return changes }
      own = own ?? prompt
      return []
    }
    return finish(ownOutcome, at: now) + startTurn(at: now, own: prompt)
  }

  mutating func startTurn(at now: Timestamp, own prompt: OwnPrompt?) -> [ActivityChange] {
    var next = TurnActivity()
    next.status = .running
    next.startedAt = now
    next.queue = activity.queue
    next.statuses = activity.statuses
    if activity.isFinished { previousTurn = activity }
    activity = next
    answeredRequests = []
    callCount = 0
    loadedText = nil
    toldTexts = []
    isStopRequested = false
    isAgentReplaced = false
    opening = Opening()
    own = prompt
    beginRun()
    return [.turnStarted(isOwn: prompt != nil)]
  }

  /// What the turn came to by itself.
  var ownOutcome: TurnOutcome {
    if isStopRequested { return .stopped(reason: nil) }
    if let error { return .failed(error) }
    return hasAnswer ? .succeeded(answer: activity.text) : .empty
  }

  /// Ends the turn and what of it is still open.
  mutating func finish(_ outcome: TurnOutcome, at end: Timestamp) -> [ActivityChange] {
    var changes: [ActivityChange] = []
    for index in activity.toolCalls.indices where activity.toolCalls[index].isOpen {
      changes += abandonCall(at: index, now: end)
    }
    run = .none
    activity.status = .finished(outcome)
    activity.endedAt = end
    activity.thinking.isStreaming = false
    activity.isWriting = false
    activity.isCompacting = false
    activity.retry = nil
    activity.questions = []
    defer { own = nil }
    return changes + [.turnFinished(outcome, isOwn: own != nil)]
  }
}
