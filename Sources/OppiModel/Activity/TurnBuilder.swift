// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// Builds one turn of the agent from the messages between its start and its end.
///
/// ``ActivityReducer`` decides where turns start and end.
struct TurnBuilder: Sendable {
  /// The turn without what the parts keep.
  var known = Turn()
  /// A failure of the model from which the turn has not recovered.
  private(set) var failure: String?
  /// Whether a stop was requested, the session ended during the turn, or the wait for a retry was
  /// cancelled; a stop that fails at first may still take effect.
  var isStopRequested = false
  var speech = AssistantText()
  var calls = ToolCalls()
  var questions = OpenQuestions()
  /// Whether another agent has replaced the one that ran the turn.
  var isAgentReplaced = false
  private(set) var opening: Opening = (nil, nil)
  /// Whether the queue announced a message whose text comes next.
  var expectsMessage = false
  /// Whether the trace has shown the turn, which may be ahead of the messages received.
  private(set) var isTraced = false
  /// Hashes of the messages sent to the running turn: after an answer, they look like prompts in the
  /// trace.
  private(set) var steered: [Int] = []
  /// This program's prompt, while its turn runs.
  var own: OwnPrompt?

  /// The prompt that opened the turn: its id in the server's queue, and its text.
  typealias Opening = (id: String?, text: String?)

  init() {}

  init(after last: TurnBuilder, at now: Timestamp, own: OwnPrompt?, opening: Opening = (nil, nil)) {
    (known.status, known.startedAt) = (.running, now)
    calls = ToolCalls(after: last.calls)
    questions = last.questions.next
    self.own = own
    self.opening = opening
  }

  // MARK: - Outcome

  /// Whether the last step is an answer: a message with text and no calls after it.
  var hasAnswer: Bool { speech.isAnswer && !calls.haveRun }

  /// Whether a stop ended the turn.
  var wasStopped: Bool {
    if case .finished(.stopped) = known.status { true } else { false }
  }

  /// Whether the turn would end without a result if it ended now.
  var isFruitless: Bool { failure != nil || !hasAnswer }

  /// The outcome if a stop or a failure determines it; `nil` if the agent's messages do.
  private var decidedOutcome: TurnOutcome? {
    isStopRequested ? .stopped(reason: nil) : failure.map(TurnOutcome.failed)
  }

  /// The outcome without further information.
  var outcome: TurnOutcome {
    decidedOutcome ?? (hasAnswer ? .succeeded(answer: speech.text) : .empty)
  }

  /// The outcome if the end of the turn was not seen; `isAgentGone` if its agent may have been ended
  /// in the middle of a message.
  func outcome(in trace: TraceTurn?, isAgentGone: Bool) -> TurnOutcome {
    if let decidedOutcome { return decidedOutcome }
    let outcome = TurnOutcome(in: trace)
    let isDoubtful = isAgentGone && speech.mayBeCutOff && outcome.answer != nil
    return isDoubtful ? .unknown(reason: UnknownReason.mayBeCutOff) : outcome
  }

  /// Records a failure, which ends the turn unless it recovers.
  mutating func fail(_ text: String) { failure = text.head(bytes: Turn.reasonLimit) }

  /// Records that the agent continues.
  mutating func recover() { failure = nil }

  /// The turn so far.
  func turn(queue: [QueuedMessage], statuses: [ExtensionStatus]) -> Turn {
    var turn = known
    turn.thinking = speech.thinking
    turn.toolCalls = calls.all
    turn.droppedCallCount = calls.droppedCount
    turn.text = speech.text
    turn.isWriting = speech.isWriting
    turn.mayLackStart = speech.isWriting && speech.mayLackStart
    turn.questions = questions.all
    turn.unreported = questions.unreported(in: turn.runningCall)
    turn.queue = queue
    turn.statuses = statuses
    return turn
  }

  // MARK: - Prompt

  /// Whether nothing of the turn was seen yet, including its prompt.
  var isFresh: Bool { opening.text == nil && calls.all.isEmpty && speech.isSilent }

  /// Keeps the text that opened the turn, which identifies it in the trace.
  mutating func keepOpening(_ text: String?) {
    if opening.text == nil { opening.text = text?.head(bytes: UnknownReason.textLimit) }
  }

  mutating func trace(_ prompt: String?) {
    keepOpening(prompt)
    isTraced = true
  }

  /// Whether a message of the queue opened the turn.
  func isOpened(by message: QueuedMessage) -> Bool {
    opening.id == message.id || own.map { $0.isQueued && $0.id == message.id } == true
  }

  /// Whether a user message is the one with which the trace has opened the turn.
  func isTraced(as text: String) -> Bool {
    isTraced && opening.text == text.head(bytes: UnknownReason.textLimit)
  }

  mutating func receiveSteering(_ text: String) {
    speech.receiveUserMessage()
    let isOpening = isFresh || opening.text == text.head(bytes: UnknownReason.textLimit)
    if !isOpening { steered = steered.suffix(Self.steeredLimit - 1) + [Self.hash(of: text)] }
  }

  private static let steeredLimit = 100

  static func hash(of text: String) -> Int {
    text.head(bytes: UnknownReason.textLimit).hashValue
  }

  // MARK: - Runs

  mutating func beginRun() {
    recover()
    speech.beginRun()
    calls.beginMessage()
    (expectsMessage, isTraced) = (false, false)
  }

  mutating func finish(_ outcome: TurnOutcome, at end: Timestamp) -> [ActivityChange] {
    var isKnown = true
    if case .unknown = outcome { isKnown = false }
    let changes = calls.abandon(at: end, isEndKnown: isKnown)
    (known.status, known.endedAt) = (.finished(outcome), end)
    (known.retry, known.isCompacting) = (nil, false)
    speech.endRun()
    questions.goOn()
    defer { own = nil }
    return changes + [.turnFinished(outcome, isOwn: own != nil)]
  }
}

extension TurnBuilder {
  /// Applies a message that only a working agent sends.
  mutating func apply(_ kind: ServerMessage.Kind, at now: Timestamp) -> [ActivityChange] {
    switch kind {
    case .textDelta(let delta):
      receiveModel()
      return speech.add(text: delta)
    case .thinkingDelta(let delta):
      receiveModel()
      return speech.add(thought: delta)
    case .messageEnd(_, let text):
      questions.goOn()
      return speech.end(text) + calls.endMessage(at: now)
    case .toolStart(let call):
      recover()
      speech.goOn()
      return calls.start(call, at: now)
    case .toolUpdate(let call):
      recover()
      speech.goOn()
      return calls.write(call)
    case .toolOutput(let output): return noting(calls.print(output, at: now))
    case .toolEnd(let id, let tool, let isError, let details):
      let changes = calls.end(id, tool, isError: isError, details: details, at: now)
      return noting(changes, endOf: tool)
    case .question(let question): return questions.ask(question)
    default: return []
    }
  }

  /// The model continues: nothing waits for an answer and no failure is final.
  private mutating func receiveModel() {
    recover()
    calls.beginMessage()
    questions.goOn()
  }

  /// Records the end of a request; answers from other clients show only in the call's next step.
  mutating func resolve(approval id: String, as outcome: ApprovalOutcome) -> [ActivityChange] {
    noting(calls.resolve(approval: id, as: outcome))
  }

  /// Updates the turn from the changes of its calls.
  ///
  /// A request is cancelled only with its session, and the turn with both; the end of a call
  /// answers its questions.
  mutating func noting(_ changes: [ActivityChange], endOf tool: String? = nil) -> [ActivityChange] {
    if let tool, !changes.isEmpty { questions.endCall(of: tool) }
    let isCancelled = changes.contains { change in
      if case .approvalResolved(_, .cancelled) = change { true } else { false }
    }
    if isCancelled { isStopRequested = true }
    return changes
  }
}

extension ServerMessage.Kind {
  /// Whether only a working agent sends this message.
  var isWork: Bool {
    switch self {
    case .messageEnd(.assistant, _), .textDelta, .thinkingDelta, .toolStart, .toolUpdate,
      .toolOutput, .toolEnd, .question:
      true
    default: false
    }
  }

  /// Whether a tool runs or has run, while the model writes nothing.
  var isOfTool: Bool {
    switch self {
    case .toolOutput(let output): !output.replaces
    case .toolEnd: true
    default: false
    }
  }
}
