// SPDX-License-Identifier: MIT

import OppiText
package import OppiWire

/// The delivery of one prompt to one session, from opening a stream to a verdict.
///
/// A state machine without input or output: its owner passes events in and performs the returned
/// actions in order. A prompt is sent a second time only under its first id and only to an agent
/// that is known to remember it, or under a new id if the server has said that the first will not
/// run.
package struct PromptDelivery: Sendable, Hashable {
  package let order: Order
  /// As far as the server has reported it.
  package private(set) var location: ReportedLocation
  /// Known when a stream is open.
  package internal(set) var stream: Dialect.Stream?
  /// The id of the prompt, or of its last repeat.
  package internal(set) var clientTurnID: String
  /// The session's sequence number when the prompt was sent: later events may belong to it.
  package private(set) var anchor = 0
  /// The agent that counts ``anchor``, and to which the prompt was sent; `nil` on servers that do not
  /// name agents.
  package private(set) var anchorEpoch: String?
  var messageCount = 0
  /// The agent at the other end of the stream; `nil` on servers that do not name agents.
  package internal(set) var epoch: String?
  /// Whether the server listens to the stream.
  var isSetUp = false
  /// As far as the stream has reported it.
  var isTurnRunning = false
  /// The sequence number of the last durable event received.
  var sequence = 0
  /// Whether the prompt was sent again, under the same id, to an agent that would have known it.
  package internal(set) var wasRepeated = false
  var uptime = ServerUptime()
  var state = State.opening
  /// Counts the streams, so that answers to earlier requests are not mistaken for later ones.
  var streamCount = 0

  /// Starts a delivery whose stream is being opened.
  package init(_ order: Order, location: ReportedLocation = ReportedLocation()) {
    self.order = order
    self.location = location
    clientTurnID = order.prompt.clientTurnID
  }

  /// Starts a delivery over a subscribed stream of a loaded session; returns the first actions.
  package static func begun(
    _ order: Order,
    over stream: Dialect.Stream,
    status: Session.Status,
    sequence: Int,
    messageCount: Int,
    epoch: String? = nil,
    at now: Moment
  ) -> (PromptDelivery, [Action]) {
    var delivery = PromptDelivery(order)
    delivery.stream = stream
    delivery.streamCount = 1
    delivery.sequence = sequence
    delivery.messageCount = messageCount
    delivery.epoch = epoch
    delivery.isTurnRunning = status == .busy
    delivery.isSetUp = true
    let actions = delivery.deliver(to: status, at: now)
    return (delivery, actions)
  }

  /// Records that later events may belong to the prompt.
  mutating func setAnchor() {
    anchor = sequence
    anchorEpoch = epoch
  }

  package var verdict: Verdict? {
    if case .settled(let verdict) = state { verdict } else { nil }
  }

  /// When the delivery must be woken; `nil` if it waits for events only.
  package var wakeAt: Moment? {
    let step: Moment?
    switch state {
    case .sent(let prompt, .dispatched(let moment, _)):
      // If the prompt may have been refused, its outcome shows within the time of a first message.
      let isWaiting = order.waitsForTurn && !prompt.isSuspect
      step = moment + (isWaiting ? order.limits.silence : order.limits.firstSign)
    case .sent(_, .reopening(let nextTry)), .sent(_, .looking(_, let nextTry)): step = nextTry
    default: step = nil
    }
    return [endsAt, step].compactMap(\.self).min()
  }

  /// When the delivery ends at the latest, with all its steps; `nil` for no limit.
  package var endsAt: Moment? {
    switch state {
    case .opening, .starting, .settingLevel: order.limits.total ?? order.limits.start
    case .sent(_, .dispatched): order.limits.total
    case .sent(let prompt, _): prompt.until
    case .deleting(_, let until): until
    case .settled: nil
    }
  }

  package mutating func handle(_ event: Event, at now: Moment) -> [Action] {
    switch event {
    case .opened(let stream):
      self.stream = stream
      streamCount += 1
      isSetUp = false
      epoch = nil
      return opened(at: now)
    case .received(let message):
      guard message.sessionID == nil || message.sessionID == order.sessionID else { return [] }
      learn(from: message)
      sequence = max(sequence, message.sequence ?? 0)
      return receive(message, at: now)
    case .lost: return lose(at: now)
    case .expired: return expire(at: now)
    case .shutOut: return shutOut()
    case .notSent: return withhold()
    case .looked(let check): return look(at: check, at: now)
    case .deleted:
      guard case .deleting(let verdict, _) = state else { return [] }
      return settle(verdict)
    case .woke:
      guard let wakeAt, wakeAt <= now else { return [] }
      return wake(at: now)
    }
  }

  private mutating func learn(from message: ServerMessage) {
    switch message.kind {
    case .connected(let session, _), .state(let session), .summary(let session):
      guard session.id == order.sessionID else { return }
      if case .connected = message.kind { epoch = message.epoch }
      isTurnRunning = session.status == .busy
      location.model = session.model ?? location.model
      location.thinking = session.thinkingLevel ?? location.thinking
      location.isPi = session.isPi ?? location.isPi
      location.workspaceID = location.workspaceID ?? session.workspaceID
      location.workspaceName = location.workspaceName ?? session.workspaceName
    case .agentStart: isTurnRunning = true
    case .agentEnd: isTurnRunning = false
    case .commandResult(let result) where result.requestID == requestID(.level):
      location.thinking = result.data["level"].text(.name)?.safeLine(limit: 40) ?? location.thinking
    default: break
    }
  }

  // MARK: - Requests

  enum RequestName: String {
    case subscribe
    case level
    case prompt
    case queue
  }

  /// Derived from the turn's unique id.
  func requestID(_ name: RequestName) -> String {
    "\(clientTurnID).\(streamCount).\(name.rawValue)"
  }

  func request(_ message: ClientMessage, _ name: RequestName) -> Request {
    Request(message, id: requestID(name))
  }

  /// Starts the session's agent; an older server's stream is itself the subscription.
  func subscription(since sequence: Int? = nil) -> [Request] {
    stream?.subscribes == true ? [request(.subscribe(since: sequence), .subscribe)] : []
  }

  func message(_ kind: SentPrompt.Kind) -> Request {
    var prompt = order.prompt
    prompt.clientTurnID = clientTurnID
    let whenBusy = stream?.queuesPrompts == true ? order.whenBusy : nil
    return switch kind {
    case .prompt: request(.prompt(prompt, whenBusy: whenBusy), .prompt)
    case .followUp: request(.followUp(prompt), .prompt)
    case .steer: request(.steer(prompt), .prompt)
    }
  }

  /// Changes the id, because the server has seen the previous one with another message type.
  mutating func renew() {
    clientTurnID += "-again"
  }

  // MARK: - Ends

  mutating func settle(_ verdict: Verdict) -> [Action] {
    state = .settled(verdict)
    return [.settle(verdict)]
  }

  /// Ends with a refusal; deletes a session that was created only for the prompt.
  mutating func refuse(_ refusal: Refusal, at now: Moment) -> [Action] {
    guard order.isNewSession, refusal.leavesNothing else { return settle(.refused(refusal)) }
    state = .deleting(.refused(refusal), until: now + order.limits.deletion)
    return [.close, .delete]
  }
}

extension PromptDelivery.Refusal {
  /// Whether the session is known to be empty.
  fileprivate var leavesNothing: Bool {
    switch self {
    case .full, .startFailed, .rejected, .agentRefused: true
    // Another client's turn may be running, or the refusal is inferred rather than reported.
    case .busy, .silent: false
    }
  }
}

extension PromptDelivery {
  struct SentPrompt: Sendable, Hashable {
    typealias Kind = SendRecord.Kind

    /// The server loses a prompt that arrives during a turn, and rejects a follow-up without one.
    var kind: Kind
    var leftAt: Moment
    /// When to stop waiting for confirmation; `nil` for no limit.
    var until: Moment?
    var isRepeat = false
    /// The number of lost connections since then.
    var losses = 0
    /// Whether the server has seen the id before, which does not show the outcome.
    var isKnown = false
    /// Whether the agent reported an error after the prompt was sent for the first time.
    var hasFailure = false
    /// Whether a turn was running when the server accepted the prompt, which it then queued.
    var isBehindTurn = false
    /// Whether the agent refused a prompt that may have been this one.
    var isSuspect = false

    /// Whether the server's confirmation does not show that the agent has the prompt.
    var isDoubtful: Bool { isKnown || isSuspect }
  }

  struct CatchUp: Sendable, Hashable {
    var messageCount: Int?
    /// An error of an agent that started nothing.
    var error: String?
    var userTexts: [String] = []
    /// Whether no turn is running, so that no message is queued.
    var isIdle = false
  }

  /// The progress of the agent's start, if the prompt was sent before that was known.
  enum Start: Sendable, Hashable {
    case pending
    /// An older server reports this and closes the stream; messages sent over it are not read.
    case failed(Refusal)
    case done
  }

  /// What the server's confirmation means if nothing else is heard of the prompt.
  static func accepted(_ prompt: SentPrompt, unless doubt: Doubt) -> Verdict {
    guard !prompt.isDoubtful else { return .unknown(doubt) }
    return .delivered(prompt.isBehindTurn ? .queued : .accepted)
  }

  enum State: Sendable, Hashable {
    /// Nothing was sent; a stream is being opened.
    case opening
    /// Nothing was sent; the agent is starting, or is being stopped.
    case starting
    /// Nothing was sent; the thinking level is being set.
    case settingLevel(Session.Status)
    /// The prompt was sent, and its outcome is not known.
    case sent(SentPrompt, Phase)
    case deleting(Verdict, until: Moment)
    case settled(Verdict)
  }

  /// What is known of a sent prompt, or is being done to know more.
  enum Phase: Sendable, Hashable {
    /// The server has not confirmed it.
    case unconfirmed(Start)
    /// The server passed it to the agent, whose first message is expected since a moment.
    case dispatched(since: Moment, looks: Int)
    /// The connection was lost; another is opened now or at a moment.
    case reopening(nextTry: Moment?)
    /// An older server's new stream is open; its agent is being found or restarted.
    case returning
    /// A new stream is open; the REST interface is being queried about its server, or will be at a
    /// moment.
    case looking(messageCount: Int?, nextLook: Moment? = nil)
    /// The events since the prompt was sent are being received.
    case catchingUp(CatchUp)
    /// The server is queried whether the message is still queued.
    case checkingQueue
  }
}
