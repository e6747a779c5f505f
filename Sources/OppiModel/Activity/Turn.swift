// SPDX-License-Identifier: MIT

/// One turn of the agent, from the message that opened it to its end.
///
/// Its parts keep their own rules; here is what concerns several of them. Where turns begin and end
/// is decided elsewhere.
struct Turn: Sendable {
  var fate: TurnFate
  var speech = AgentSpeech()
  var calls: ToolCalls
  var questions = OpenQuestions()
  var children = ChildSessions()
  /// Whether another agent was started in place of the one that ran the turn.
  var isAgentReplaced = false
  private(set) var opening = Opening()
  /// Whether the queue has announced a message whose text comes next.
  private(set) var expectsMessage = false
  /// This program's prompt, where the turn is its and runs.
  private(set) var own: OwnPrompt?
  private var retry: RetryState?
  private var isCompacting = false
  private let startedAt: Timestamp?
  private var endedAt: Timestamp?

  /// What is known of the message that opened the turn.
  struct Opening: Sendable, Equatable {
    /// Its id in the server's queue.
    var id: String?
    var text: String?
  }

  /// No turn yet.
  init() {
    fate = TurnFate(.idle)
    calls = ToolCalls()
    startedAt = nil
  }

  /// A turn that begins behind another one.
  init(after last: Turn, at now: Timestamp, own: OwnPrompt?, opening: Opening = Opening()) {
    fate = TurnFate(.running)
    calls = ToolCalls(after: last.calls)
    startedAt = now
    self.own = own
    self.opening = opening
  }

  // MARK: - What it comes to

  /// Whether the agent's last word is an answer: a message with text and no calls after it.
  var hasAnswer: Bool { speech.isAnswer && !calls.haveRun }

  /// Whether the turn comes to nothing as it stands.
  var isFruitless: Bool { fate.failure != nil || !hasAnswer }

  /// What the turn comes to by itself.
  var outcome: TurnOutcome {
    fate.outcome ?? (hasAnswer ? .succeeded(answer: speech.text) : .empty)
  }

  /// What the turn comes to where nobody saw its end.
  func outcome(in trace: TraceTurn?) -> TurnOutcome {
    if let outcome = fate.outcome { return outcome }
    guard let trace else { return .unknown(reason: OutcomeDoubt.notInTrace) }
    if let answer = trace.answer { return .succeeded(answer: answer) }
    return .unknown(reason: OutcomeDoubt.cutOff)
  }

  /// The turn for those who show it.
  func activity(queue: [QueuedMessage], statuses: [ExtensionStatus]) -> TurnActivity {
    var activity = TurnActivity()
    activity.status = fate.status
    activity.thinking = speech.thinking
    activity.toolCalls = calls.all
    activity.droppedCallCount = calls.droppedCount
    activity.text = speech.text
    activity.isWriting = speech.isWriting
    activity.questions = questions.all
    activity.children = children.all
    activity.queue = queue
    activity.statuses = statuses
    activity.retry = retry
    activity.isCompacting = isCompacting
    activity.startedAt = startedAt
    activity.endedAt = endedAt
    return activity
  }

  // MARK: - Whose it is

  /// Whether nothing of the turn was seen yet, its prompt included.
  var isFresh: Bool { opening.text == nil && calls.all.isEmpty && speech.isSilent }

  mutating func adopt(_ prompt: OwnPrompt) { own = prompt }

  /// Keeps the text that opened the turn, by which its trace is found.
  mutating func keepOpening(_ text: String?) {
    if opening.text == nil { opening.text = text?.head(bytes: OutcomeDoubt.textLimit) }
  }

  /// Takes it that the queue has announced a message, whose text comes next.
  mutating func announceMessage() { expectsMessage = true }

  /// Takes the message that was announced.
  mutating func hearAnnounced() {
    expectsMessage = false
    speech.hearUser()
  }

  // MARK: - Runs

  /// Takes up work with a clean slate.
  mutating func beginRun() {
    fate.recover()
    speech.beginRun()
    calls.beginMessage()
    expectsMessage = false
  }

  /// Takes it that the agent is at work, so that nothing was announced that has not come.
  mutating func goOn() { expectsMessage = false }

  mutating func announceRetry(_ retry: RetryState) {
    var retry = retry
    retry.error = retry.error.head(bytes: TurnActivity.reasonLimit)
    self.retry = retry
    if fate.failure == nil { fate.fail(retry.error) }
  }

  /// Takes it that no retry waits any more.
  mutating func endRetry() { retry = nil }

  mutating func beginCompaction() { isCompacting = true }

  mutating func endCompaction() { isCompacting = false }

  /// Ends the turn and what of it is still open.
  mutating func finish(_ outcome: TurnOutcome, at end: Timestamp) -> [ActivityChange] {
    var isKnown = true
    if case .unknown = outcome { isKnown = false }
    let changes = calls.abandon(at: end, isEndKnown: isKnown)
    fate.finish(outcome)
    speech.endRun()
    questions.clear()
    endRetry()
    endCompaction()
    endedAt = end
    defer { own = nil }
    return changes + [.turnFinished(outcome, isOwn: own != nil)]
  }
}
