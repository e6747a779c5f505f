// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The state of a chat in either form of display: the turn, the outgoing messages, and the pending
/// requests and questions; performs no input or output.
struct ChatState: Sendable {
  /// A second Ctrl-C within this time leaves the chat.
  private static let secondPress = Duration.seconds(1)
  /// A second Esc within this time stops the turn.
  private static let stopOfferTime = Duration.seconds(2)

  private(set) var activity = Turn()
  /// The stream for the next effects; `nil` while none is open.
  private(set) var stream: IntentWebSocket?
  /// What happens to messages while the agent works.
  private(set) var whenBusy = ClientMessage.WhenBusy.queue
  private(set) var mail: OutgoingMessages
  /// The latest description of the session.
  var session: Session?
  /// The name of the server, where it is not shown elsewhere.
  var server = ""
  /// The agent's to-do list while something of it is left to do.
  private(set) var todo: TodoProgress?
  /// The server's models as last listed on this machine.
  var models: [LanguageModel] = []
  /// The images of the messages.
  var images = MessageImages()
  /// What completion offers.
  var lists = CompletionLists()
  /// The settings still to apply to a new session.
  var chatSettings = ChatSettings()
  /// `nil` before the first request.
  private(set) var requestContext: RequestContext?
  /// The last request whose context was read.
  private var lookedFor: String?
  /// Whether the session is not connected, so that its state is unknown.
  private(set) var isAway = true
  /// Requests and questions that were answered here and are not settled yet.
  private(set) var answered: Set<String> = []
  private var replies = RepliesOnStream()
  private(set) var answers: PartAnswers
  /// Requests and questions that changed without a message on the stream, by id.
  private var changed: [String: (shown: HumanRequest, present: HumanRequest)] = [:]
  /// The ids of answers that are not confirmed yet.
  private var underWay: Set<String> = []
  /// The ids of answers whose results are unknown.
  private var doubtful: Set<String> = []
  private(set) var isStopUnderWay = false
  /// Messages to send to the agent after a denial is confirmed, by request id.
  private var reasons: [String: String] = [:]
  /// The notices for requested changes, by the id that the server's result repeats.
  var changes: [String: String] = [:]
  /// Messages that were printed here and that the server will repeat.
  var echoes: [String] = []
  /// The number of the oldest turn that was shown again; `nil` if none was.
  private(set) var firstTurn: Int?
  /// Whether a message was sent or a setting changed during the chat.
  var hasTalked = false
  /// Whether another session can be opened from here; the console in lines has no way for that.
  var canOpen = false
  /// Whether another session is being opened, for which the chat is then left.
  var isOpening = false
  /// The session to open after the chat was left.
  var next: ChatDestination?
  /// The time of day; `nil` if it is unknown.
  var moment: @Sendable () -> Timestamp? = { nil }
  private var interruptedAt: Duration?
  /// When the offer ends that a second Esc stops the turn.
  private var stopOfferEnd: Duration?
  /// The message that was held back as a mistyped command, and when.
  private var refused: (text: String, at: Duration)?
  /// Messages that the server accepted, and whose start or place in the queue it has not reported.
  var queuedUnseen: [String] = []
  /// The counter of the agent's last durable message.
  var agentCounter = 0
  var exit = PendingExit()
  let newID: @Sendable () -> String

  /// `requests` is what asks a human on the session's server; `newID` returns unique ids.
  init(
    sessionID: String,
    requests: Dialect.Requests = .permissions,
    newID: @escaping @Sendable () -> String
  ) {
    mail = OutgoingMessages(sessionID: sessionID)
    answers = PartAnswers(for: requests)
    self.newID = newID
  }

  // MARK: - Requests and questions

  /// The request or question to reply to now; requests come first.
  var open: RequestPanel.Subject? {
    activity.requests.lazy.filter { !answered.contains($0.id) }.compactMap(answers.open).first
  }

  /// Whether a request or question is still to be answered, unchanged since it was shown.
  func isOpen(_ request: HumanRequest) -> Bool {
    !answered.contains(request.id)
      && activity.request(request.id)?.isAbout(sameAs: request) == true
  }

  var isWorking: Bool { activity.status == .running || activity.status == .stopping }

  /// Whether anything sent from here is not confirmed yet.
  var isUnsettled: Bool {
    !mail.outgoing.isEmpty || !underWay.isEmpty || isStopUnderWay || !changes.isEmpty
  }

  /// Whether a decision, an answer or a stop is not confirmed yet, or never will be.
  var hasUnknown: Bool { !underWay.isEmpty || !doubtful.isEmpty || isStopUnderWay }

  /// The number of things sent from here without a confirmed result.
  var unconfirmedCount: Int {
    mail.outgoing.count { !$0.isHeld } + underWay.union(doubtful).count + changes.count
      + (isStopUnderWay ? 1 : 0)
  }

  // MARK: - Actions of the user

  /// Whether a message is held back by the session or by the previous message.
  var isHolding: Bool { mail.outgoing.contains(where: \.isHeld) }

  static let heldNote = "not sent yet; sent as soon as the session accepts it"

  /// Sends a message, or performs it if it is a command of the chat.
  mutating func send(_ text: String, at now: Duration) -> [ChatEffect] {
    if let (command, argument) = ChatCommand.parse(text) {
      return perform(command, argument, at: now)
    }
    let isAgain = refused.map { $0.text == text && now >= $0.at + EnterGuard.doublePress } ?? false
    if !isAgain, let refusal = ChatCommand.refusal(of: text, ofAgent: lists.commands) {
      refused = (text, now)
      return [.say(refusal), .giveBack(text)]
    }
    refused = nil
    guard !isOpening else {
      return [.say("not sent: another session is being opened"), .giveBack(text)]
    }
    return sendWithImages(text, whenBusy: whenBusy, at: now)
  }

  /// Sends a message without checking for commands.
  mutating func send(
    _ message: Prompt,
    whenBusy: ClientMessage.WhenBusy,
    at now: Duration
  ) -> [ChatEffect] {
    hasTalked = true
    let effects = mail.send(message, whenBusy: whenBusy, at: now)
    return [.remember(message.text)] + perform(effects) + (isHolding ? [.say(Self.heldNote)] : [])
  }

  mutating func toggleWhenBusy() { whenBusy = whenBusy == .queue ? .steer : .queue }

  /// Replies to a request or question; the server's result confirms it later.
  ///
  /// The answer to a part is stored until the last part has one. `reason` is sent to the agent after
  /// a confirmed denial. Replies nothing if it was already done here, or the request has changed.
  mutating func reply(
    _ reply: RequestReply,
    to subject: RequestPanel.Subject,
    because reason: String?
  ) -> [ChatEffect] {
    let request = subject.request
    guard isOpen(request) else { return [.say(DecisionOutcome.noLongerPending)] }
    guard let whole = answers.take(reply, to: subject) else { return [] }
    answered.insert(request.id)
    replies.add(request.id)
    reasons[request.id] = reason
    underWay.insert(request.id)
    return (request.kind == .permission ? [.say("waiting for confirmation")] : [])
      + [.reply(whole, to: request)]
  }

  /// Stops the turn, which also denies a pending request.
  mutating func stop() -> [ChatEffect] {
    let word = ChatEffect.say("stopping… press Ctrl-C again to exit")
    guard !isStopUnderWay else { return [word] }
    isStopUnderWay = true
    return [.stopTurn, word]
  }

  /// Whether another Esc stops the turn.
  var offersStop: Bool { stopOfferEnd != nil }

  /// Handles an Esc that closes nothing: the second one stops the turn.
  mutating func escape(at now: Duration) -> [ChatEffect] {
    let isSecond = stopOfferEnd.map { now < $0 } ?? false
    stopOfferEnd = isWorking && !isSecond ? now + Self.stopOfferTime : nil
    return isWorking && isSecond ? stop() : []
  }

  /// Another key or event came before the second Esc, or it closed something.
  mutating func withdrawStopOffer() { stopOfferEnd = nil }

  /// Handles Ctrl-C without a draft: stops the turn; a second press leaves.
  mutating func interrupt(at now: Duration) -> [ChatEffect] {
    if exit.isAsked { return [.leave] }
    if let interruptedAt, now - interruptedAt <= Self.secondPress { return leave(at: now) }
    interruptedAt = now
    guard isWorking || open?.request.kind == .permission else {
      return [.say("press Ctrl-C again to exit")]
    }
    return stop()
  }

  /// Leaves the chat after all confirmations, or after a short wait.
  mutating func leave(at now: Duration) -> [ChatEffect] {
    exit.ask(isUnsettled: isUnsettled, at: now) ? [.leave] : [.say(PendingExit.notice)]
  }

  /// Handles the passing of time.
  mutating func woke(at now: Duration) -> [ChatEffect] {
    if let end = stopOfferEnd, now >= end { stopOfferEnd = nil }
    return perform(mail.woke(at: now)) + exitIfDue(at: now)
  }

  // MARK: - News

  /// Handles news; the owner shows the session's changes.
  mutating func take(_ news: ChatNews, at now: Duration) -> [ChatEffect] {
    var effects: [ChatEffect] = []
    switch news {
    case .step(let step, let activity, let stream):
      self.stream = stream
      let mailed = mail.take(step, over: stream?.kind, at: now)
      switch step {
      case .lost, .givenUp: isAway = true
      case .caughtUp:
        isAway = false
        lists.forgetCommands()
      case .changes, .past, .renewing: break
      }
      update(activity)
      if step.changes.contains(where: \.isOfCall) { todo = activity.todo }
      if !isWorking || todo.map({ $0.completed >= $0.total }) == true { todo = nil }
      effects += perform(mailed) + apply(step) + applySettings()
      // A reply over REST that is under way has a result of its own.
      if let request = replies.lost(in: step, of: activity), !underWay.contains(request.id),
        answered.remove(request.id) != nil
      {
        exit.cancel()
        effects.append(.print([StyledText(QuestionText.lost, .warning)]))
      }
      if let id = timedID, id != lookedFor, requestContext?.clockOffset == nil {
        lookedFor = id
        effects.append(.readRequestContext)
      }
    case .performed(let result): effects += take(result, at: now)
    case .delivery(let event, let id): effects += perform(mail.take(event, for: id, at: now))
    case .requestContext(let found): requestContext = found
    case .page(.turns(let turns, _)): firstTurn = turns.first?.number ?? firstTurn
    case .page: break
    case .files(let paths): lists.take(paths)
    case .sessions(let sessions): lists.take(sessions)
    case .attached(let result, let id): effects += take(result, of: id)
    case .opened(let opened): effects += take(opened, at: now)
    }
    return effects + exitIfDue(at: now)
  }

  private func exitIfDue(at now: Duration) -> [ChatEffect] {
    exit.isDue(isUnsettled: isUnsettled, at: now) ? [.leave] : []
  }

  private mutating func update(_ activity: Turn) {
    self.activity = activity
    // The next turn is another one.
    if !isWorking { stopOfferEnd = nil }
    for (id, change) in changed {
      // The stream has the last word: what it reports later replaces what was listed.
      guard let told = self.activity.request(id), told.isAbout(sameAs: change.shown) else {
        changed[id] = nil
        continue
      }
      self.activity.replace(by: change.present)
    }
    hasTalked = hasTalked || activity.status != .idle
    let open = Set(activity.requests.map(\.id))
    answered.formIntersection(open)
    answers.keep(open)
  }

  /// The request or question whose time left is shown.
  private var timedID: String? {
    switch open {
    case .call(let request)?: request.id
    case .question(let question)?: question.source.timeoutAt == nil ? nil : question.id
    case nil: nil
    }
  }

  /// Shows a request or question as the server has it now, in place of the one with its id.
  private mutating func show(_ present: HumanRequest) {
    guard let told = activity.request(present.id) else { return }
    changed[present.id] = (changed[present.id]?.shown ?? told, present)
    activity.replace(by: present)
  }

  private mutating func take(_ result: ChatResult, at now: Duration) -> [ChatEffect] {
    var effects: [ChatEffect] = []
    switch result.kind {
    case .stop:
      isStopUnderWay = false
      if result.outcome == .holds { effects += tellOfQueueAfterStop() }
    case .answer(let id):
      underWay.remove(id)
      switch result.outcome {
      case .unknown: doubtful.insert(id)
      case .holds: doubtful.remove(id)
      case .tooLate, .failed: break
      }
      // An answer that the server may not have leaves the request open, and cancels leaving.
      if [.failed, .unknown].contains(result.outcome) {
        answered.remove(id)
        exit.cancel()
      }
      if let present = result.present { show(present) }
      if let reason = reasons.removeValue(forKey: id) {
        effects =
          result.outcome == .holds
          ? send(Prompt(reason, clientTurnID: newID()), whenBusy: .steer, at: now)
          : [.giveBack(reason)]
      }
    case .change(let id): if result.outcome == .failed { changes[id] = nil }
    case .export: break
    }
    guard let text = result.text else { return effects }
    // A notice is replaced by the next one, and the line stays.
    if let line = result.line { return [.say(text), .print([line])] + effects }
    let isFailure = [.failed, .unknown].contains(result.outcome)
    return [isFailure ? .print([StyledText(text, .error)]) : .say(text)] + effects
  }
}

extension Turn {
  /// Puts a request or question in the place of the one with its id.
  fileprivate mutating func replace(by present: HumanRequest) {
    switch present {
    case .permission(let request):
      guard let index = toolCalls.firstIndex(where: { $0.pendingApproval?.id == request.id })
      else { return }
      (toolCalls[index].tool, toolCalls[index].arguments) = (request.tool, request.input)
      toolCalls[index].state = .waitingApproval(request)
    case .question(let question):
      guard let index = questions.firstIndex(where: { $0.id == question.id }) else { return }
      questions[index] = question
    }
  }
}
