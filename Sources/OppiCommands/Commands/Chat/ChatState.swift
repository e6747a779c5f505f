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
  private(set) var session: Session?
  /// What is known beside a request; `nil` until one has been looked around for.
  private(set) var surroundings: Surroundings?
  private var isLookingAround = false
  /// Requests and questions that were answered here and are not settled yet.
  private(set) var answered: Set<String> = []
  /// Answers to the first parts of a question with several.
  private(set) var partialAnswers: [String: String] = [:]
  /// The answers whose arrival is not known yet.
  private var underWay: Set<String> = []
  private(set) var isStopUnderWay = false
  /// What was asked of the session, by the id that the server's answer repeats.
  private var changes: [String: String] = [:]
  /// Messages that were printed and are still to be told by the server.
  private var echoes: [String] = []
  /// The number of the oldest turn that was shown again; `nil` where none was.
  private(set) var firstTurn: Int?
  /// Whether anything was said in the session while the chat was open.
  private(set) var hasTalked = false
  private var interruptedAt: Duration?
  /// Until when the server's word is waited for before the chat is left.
  private var leaving: Duration?
  private let newID: @Sendable () -> String

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

  /// Whether a request is still to be decided on.
  func isOpen(_ request: PermissionRequest) -> Bool {
    activity.pendingApprovals.contains { $0.id == request.id } && !answered.contains(request.id)
  }

  var isWorking: Bool {
    switch activity.status {
    case .running, .stopping: true
    default: false
    }
  }

  /// Whether something was done here of which the server has not said what became of it.
  var isUnsettled: Bool { !mail.outgoing.isEmpty || !underWay.isEmpty || isStopUnderWay }

  // MARK: - What the user does

  /// Sends a message, or does what it says where it is a command of the chat.
  mutating func send(_ text: String, at now: Duration) -> [ChatEffect] {
    if let (command, argument) = ChatCommand.parse(text) {
      return perform(command, argument, at: now)
    }
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
    let isHeld = mail.outgoing.last?.isHeld == true
    return [.remember(text)] + carry(errands)
      + (isHeld ? [.say("not sent yet: waiting for the session")] : [])
  }

  /// Changes what becomes of messages while the agent works.
  mutating func toggleWhenBusy() { whenBusy = whenBusy == .queue ? .steer : .queue }

  /// Decides on a request; that it was decided is the server's to say.
  mutating func decide(_ request: PermissionRequest, _ decision: PermissionDecision) -> [ChatEffect]
  {
    guard answered.insert(request.id).inserted else { return [] }
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

  /// Stops the turn; a request that waits for approval is denied first.
  mutating func stop() -> [ChatEffect] {
    let word = ChatEffect.say("stopping… Ctrl-C again leaves")
    guard !isStopUnderWay else { return [word] }
    isStopUnderWay = true
    return [.stopTurn, word]
  }

  /// Takes Ctrl-C where there is no draft to clear: it stops the turn, and leaves when pressed again.
  mutating func interrupt(at now: Duration) -> [ChatEffect] {
    if leaving != nil { return [.leave] }
    if let interruptedAt, now - interruptedAt <= Self.secondPress { return leave(at: now) }
    interruptedAt = now
    guard isWorking || approval != nil else { return [.say("Ctrl-C again leaves")] }
    return stop()
  }

  /// Leaves, once the server has said what became of all that was sent, or soon.
  mutating func leave(at now: Duration) -> [ChatEffect] {
    guard leaving == nil, isUnsettled else { return [.leave] }
    leaving = now + Self.farewellLimit
    return [.say("waiting for the server's word on what was sent; again leaves at once")]
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
    case .step(let step, let activity, let stream):
      let errands = mail.take(step, over: stream?.dialect, at: now)
      update(activity)
      effects += carry(errands) + heed(step)
      if approval != nil, !isLookingAround {
        isLookingAround = true
        effects.append(.lookAround)
      }
    case .performed(let result): effects += take(result)
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

  private mutating func take(_ result: ChatResult) -> [ChatEffect] {
    switch result.deed {
    case .stop: isStopUnderWay = false
    case .answer(let id):
      underWay.remove(id)
      // What did not arrive is asked for again, and nobody leaves without seeing it.
      if result.hasFailed {
        answered.remove(id)
        leaving = nil
      }
    case .other: break
    }
    return result.text.map { [.say($0)] } ?? []
  }

  // MARK: - Messages

  /// Takes the session's own words: what a user has said is printed when the server tells it.
  private mutating func heed(_ step: TurnFollower.Step) -> [ChatEffect] {
    guard case .changes(let changes, of: let message) = step else { return [] }
    if changes.contains(where: \.endsTurn) { echoes = [] }
    switch message?.kind {
    case .connected(let session, _), .state(let session):
      if session.id == self.session?.id || self.session == nil { self.session = session }
    case .queueItemStarted(let item): return say(item.text)
    case .messageEnd(.user, let text):
      guard let index = echoes.firstIndex(of: text) else {
        return [.print(Self.lines(ofMessage: text))]
      }
      echoes.remove(at: index)
    case .commandResult(let result):
      guard let id = result.requestID, let wish = self.changes.removeValue(forKey: id) else {
        break
      }
      return [.say(result.failure.map { "not changed: \($0.safeLine())" } ?? wish)]
    default: break
    }
    return []
  }

  private mutating func say(_ text: String) -> [ChatEffect] {
    echoes.append(text)
    return [.print(Self.lines(ofMessage: text))]
  }

  private mutating func carry(_ errands: [ChatMail.Errand]) -> [ChatEffect] {
    errands.flatMap { errand -> [ChatEffect] in
      guard case .tell(let settled) = errand else { return [.carry(errand)] }
      return settle(settled)
    }
  }

  private mutating func settle(_ settled: ChatMail.Settled) -> [ChatEffect] {
    switch settled.verdict {
    // It is seen in the queue, and printed when its turn begins.
    case .delivered(.queued) where mail.tellsQueue: return [.say("queued")]
    case .delivered(.queued): return say(settled.text) + [.say("queued")]
    case .delivered: return say(settled.text)
    case .unknown:
      return [.print(notice(of: settled) + Self.lines(ofMessage: settled.text))]
    case .notSent, .refused:
      leaving = nil
      return [.print(notice(of: settled)), .giveBack(settled.text)]
    }
  }

  private func notice(of settled: ChatMail.Settled) -> [StyledText] {
    settled.notice.map { [StyledText($0, .error)] } ?? []
  }

  /// Asks for a change of the session; the words are said once the server has made it.
  mutating func change(_ message: ClientMessage, saying words: String) -> [ChatEffect] {
    let id = newID()
    changes[id] = words
    return [.change(message, id: id)]
  }

  /// A user's message as it stands in the conversation.
  static func lines(ofMessage text: String) -> [StyledText] {
    text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { StyledText(($0 == 0 ? "› " : "  ") + $1, .name) }
  }
}

extension ActivityChange {
  fileprivate var endsTurn: Bool {
    if case .turnFinished = self { true } else { false }
  }
}
