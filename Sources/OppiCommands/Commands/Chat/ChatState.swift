// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// A conversation as one side sees it, however it is shown: what goes on, what is on its way, and
/// what waits for the user; no input or output.
struct ChatState: Sendable {
  /// A second Ctrl-C within this time leaves.
  private static let secondPress = Duration.seconds(1)
  /// How long whoever leaves waits for the server's word on what is on its way.
  private static let farewellLimit = Duration.seconds(3)

  private(set) var activity = TurnActivity()
  /// What becomes of a message while the agent works.
  private(set) var whenBusy = PromptDelivery.WhenBusy.queue
  /// The messages on their way.
  private(set) var mail: ChatMail
  /// The session as the server described it last.
  var session: Session?
  /// What a new session is to be like, as far as that is still to be seen to.
  var wishes = ChatWishes()
  /// What is known beside a request; `nil` until one has been looked around for.
  private(set) var surroundings: Surroundings?
  /// The request that was looked around for last.
  private var lookedFor: String?
  /// Whether the session cannot be heard, so that nobody knows what the agent does now.
  private(set) var isAway = true
  /// Requests and questions that were answered here and are not settled yet.
  private(set) var answered: Set<String> = []
  /// Answers to the first parts of a question with several.
  private(set) var partialAnswers: [String: String] = [:]
  /// The answers whose arrival is not known yet.
  private var underWay: Set<String> = []
  private(set) var isStopUnderWay = false
  /// What the agent is told once a denial holds, by the request's id.
  private var reasons: [String: String] = [:]
  /// What was asked of the session, by the id that the server's answer repeats.
  var changes: [String: String] = [:]
  /// Messages that were printed and are still to be told by the server.
  var echoes: [String] = []
  /// The number of the oldest turn that was shown again; `nil` where none was.
  private(set) var firstTurn: Int?
  /// Whether anything was said or changed in the session while the chat was open.
  var hasTalked = false
  private var interruptedAt: Duration?
  /// The message that was taken for a mistyped command, and when.
  private var refused: (text: String, at: Duration)?
  /// Messages in the queue of a server that does not tell what is in it.
  var queuedUnseen: [String] = []
  /// The counter of the last durable message of the session's agent.
  var agentCounter = 0
  /// Until when the server's word is waited for before the chat is left.
  var leaving: Duration?
  let newID: @Sendable () -> String

  /// Makes the state of a chat in which nothing has happened.
  ///
  /// - Parameters:
  ///   - sessionID: The session.
  ///   - newID: Makes ids that no other has.
  init(sessionID: String, newID: @escaping @Sendable () -> String) {
    mail = ChatMail(sessionID: sessionID)
    self.newID = newID
  }

  // MARK: - What is asked

  /// The request that is to be decided on now.
  var approval: PermissionRequest? {
    activity.pendingApprovals.first { !answered.contains($0.id) }
  }

  /// The question that is to be answered now; approvals go first.
  var question: ChatQuestion? {
    guard approval == nil else { return nil }
    return activity.questions.lazy.filter { !answered.contains($0.id) }
      .compactMap { ChatQuestion($0, answered: partialAnswers) }.first
  }

  /// Whether a request, as it was shown, is still to be decided on.
  func isOpen(_ request: PermissionRequest) -> Bool {
    activity.pendingApprovals.contains(request) && !answered.contains(request.id)
  }

  var isWorking: Bool {
    switch activity.status {
    case .running, .stopping: true
    default: false
    }
  }

  /// Whether something was done here of which the server has not said what became of it.
  var isUnsettled: Bool {
    !mail.outgoing.isEmpty || hasUnknownDeeds || !changes.isEmpty
  }

  /// Whether a decision, an answer or a stop was sent of which the server has not said anything.
  var hasUnknownDeeds: Bool { !underWay.isEmpty || isStopUnderWay }

  // MARK: - What the user does

  /// Whether a message has not left yet, which the session or the message before it holds up.
  var isHolding: Bool { mail.outgoing.contains(where: \.isHeld) }

  static let heldNote = "not sent yet; sent as soon as the session accepts it"

  /// Sends a message, or does what it says where it is a command of the chat.
  mutating func send(_ text: String, at now: Duration) -> [ChatEffect] {
    if let (command, argument) = ChatCommand.parse(text) {
      return perform(command, argument, at: now)
    }
    let isAgain = refused.map { $0.text == text && now >= $0.at + EnterGuard.doublePress } ?? false
    if !isAgain, let refusal = ChatCommand.refusal(of: text) {
      refused = (text, now)
      return [.say(refusal), .giveBack(text)]
    }
    refused = nil
    return send(text, whenBusy: whenBusy, at: now)
  }

  /// Sends a message as it is.
  mutating func send(
    _ text: String,
    whenBusy: PromptDelivery.WhenBusy,
    at now: Duration
  ) -> [ChatEffect] {
    hasTalked = true
    let errands = mail.send(text, clientTurnID: newID(), whenBusy: whenBusy, at: now)
    return [.remember(text)] + carry(errands) + (isHolding ? [.say(Self.heldNote)] : [])
  }

  /// Changes what becomes of messages while the agent works.
  mutating func toggleWhenBusy() { whenBusy = whenBusy == .queue ? .steer : .queue }

  /// Decides on a request; that it was decided is the server's to say.
  ///
  /// - Parameters:
  ///   - request: The request, as it was shown.
  ///   - decision: The word on it.
  ///   - reason: What the agent is told once a denial holds.
  /// - Returns: What is to be done; nothing where it was decided here before.
  mutating func decide(
    _ request: PermissionRequest,
    _ decision: PermissionDecision,
    because reason: String?
  ) -> [ChatEffect] {
    guard answered.insert(request.id).inserted else { return [] }
    reasons[request.id] = reason
    underWay.insert(request.id)
    return [.decide(request, decision)]
  }

  /// Answers a question, or keeps a part's answer until the last part has one.
  mutating func answer(_ question: ChatQuestion, _ answer: QuestionAnswer) -> [ChatEffect] {
    guard !answered.contains(question.id) else { return [] }
    if let part = question.partID, case .value(let text) = answer {
      partialAnswers[part] = text
      guard question.isLastPart else { return [] }
      return conclude(question.id, .answers(partialAnswers))
    }
    return conclude(question.id, answer)
  }

  private mutating func conclude(_ id: String, _ answer: QuestionAnswer) -> [ChatEffect] {
    partialAnswers = [:]
    answered.insert(id)
    underWay.insert(id)
    return [.answer(questionID: id, answer)]
  }

  /// Stops the turn; a request that waits for approval is denied with it.
  mutating func stop() -> [ChatEffect] {
    let word = ChatEffect.say("stopping… press Ctrl-C again to exit")
    guard !isStopUnderWay else { return [word] }
    isStopUnderWay = true
    return [.stopTurn, word]
  }

  /// Takes Ctrl-C where there is no draft to clear: it stops the turn, and leaves when pressed again.
  mutating func interrupt(at now: Duration) -> [ChatEffect] {
    if leaving != nil { return [.leave] }
    if let interruptedAt, now - interruptedAt <= Self.secondPress { return leave(at: now) }
    interruptedAt = now
    guard isWorking || approval != nil else { return [.say("press Ctrl-C again to exit")] }
    return stop()
  }

  /// Leaves, once the server has said what became of all that was sent, or soon.
  mutating func leave(at now: Duration) -> [ChatEffect] {
    guard leaving == nil, isUnsettled else { return [.leave] }
    leaving = now + Self.farewellLimit
    return [.say("waiting for confirmation; press again to exit now")]
  }

  /// Takes it that time has passed.
  mutating func woke(at now: Duration) -> [ChatEffect] {
    let effects = carry(mail.woke(at: now))
    guard let leaving, now >= leaving || !isUnsettled else { return effects }
    return effects + [.leave]
  }

  // MARK: - What happens

  /// Takes news; what is to be shown of the session's changes is the owner's.
  mutating func take(_ news: ChatNews, at now: Duration) -> [ChatEffect] {
    var effects: [ChatEffect] = []
    switch news {
    case .step(let step, let activity, let dialect):
      let errands = mail.take(step, over: dialect, at: now)
      switch step {
      case .lost, .givenUp: isAway = true
      case .standing: isAway = false
      case .changes, .past, .timeCame: break
      }
      update(activity)
      effects += carry(errands) + heed(step) + seeToWishes()
      if let id = approval?.id, id != lookedFor, surroundings?.clockOffset == nil {
        lookedFor = id
        effects.append(.lookAround)
      }
    case .performed(let result): effects += take(result, at: now)
    case .looked(let look): effects += carry(mail.take(look, at: now))
    case .surroundings(let found): surroundings = found
    case .page(.turns(let turns, _)): firstTurn = turns.first?.number ?? firstTurn
    case .page: break
    }
    if leaving != nil, !isUnsettled { effects.append(.leave) }
    return effects
  }

  private mutating func update(_ activity: TurnActivity) {
    self.activity = activity
    hasTalked = hasTalked || activity.status != .idle
    let open = Set(activity.pendingApprovals.map(\.id) + activity.questions.map(\.id))
    answered.formIntersection(open)
    if activity.questions.isEmpty { partialAnswers = [:] }
  }

  private mutating func take(_ result: ChatResult, at now: Duration) -> [ChatEffect] {
    var effects: [ChatEffect] = []
    switch result.deed {
    case .stop:
      isStopUnderWay = false
      if result.outcome == .holds { effects += tellOfQueueAfterStop() }
    case .answer(let id):
      underWay.remove(id)
      // What did not arrive is asked for again, and nobody leaves without seeing it.
      if result.outcome == .failed {
        answered.remove(id)
        leaving = nil
      }
      if let reason = reasons.removeValue(forKey: id) {
        effects =
          result.outcome == .holds
          ? send(reason, whenBusy: .steer, at: now) : [.giveBack(reason)]
      }
    case .change(let id): if result.outcome == .failed { changes[id] = nil }
    }
    guard let text = result.text else { return effects }
    let isFailure = result.outcome == .failed
    return [isFailure ? .print([StyledText(text, .error)]) : .say(text)] + effects
  }
}
