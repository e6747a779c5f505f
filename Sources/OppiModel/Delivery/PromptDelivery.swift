// SPDX-License-Identifier: MIT

/// The way of one prompt into one session, from "nothing has left" to a verdict.
///
/// A state machine without input or output: its owner feeds it what happens and performs the
/// actions that it returns, in their order. A prompt leaves a second time only under the id of the
/// first and only to an agent that is known to remember it, or under a new id where the server has
/// said that the first will not run.
package struct PromptDelivery: Sendable, Hashable {
  /// A moment as the time since the delivery began.
  package typealias Moment = Duration

  /// Something that has happened.
  package enum Event: Sendable {
    /// A stream of the session stands.
    case opened(PairedServer.Dialect)
    case received(ServerMessage)
    /// The stream broke, or could not be opened; trying again may help.
    case lost
    /// The server cannot be talked to any more: it refuses for good or breaks the protocol.
    case shutOut
    /// What was asked for by ``Action/look(since:)``; `nil` where no answer came.
    case looked(Sighting?)
    case deleted(Bool)
    /// The moment of ``wakeAt`` has come.
    case woke
  }

  /// Something that the owner has to do.
  package enum Action: Sendable, Equatable {
    /// Open a stream of the session; answered by `opened`, `lost` or `shutOut`.
    case open
    /// Send in one write.
    case send([Request])
    /// Ask the REST interface how the session stands, and for its events after a counter where one
    /// is given.
    case look(since: Int?)
    /// Say goodbye to the stream.
    case close
    /// Remove the session, which was made for this prompt in vain.
    case delete
    /// There is no more to be done.
    case settle(Verdict)
  }

  /// A message under the id that its answer repeats.
  package struct Request: Sendable, Hashable {
    package var message: ClientMessage
    package var id: String

    package init(_ message: ClientMessage, id: String) {
      self.message = message
      self.id = id
    }
  }

  /// What is to be delivered and where to.
  package struct Order: Sendable, Hashable {
    package var sessionID: String
    /// Whether the session was made for this prompt: whatever is in it is the prompt's.
    package var isNewSession: Bool
    package var turn: ClientMessage.Turn
    /// The level that was asked for, if any.
    package var thinking: ThinkingLevel?
    /// What becomes of it where a turn is running.
    package var whenBusy: WhenBusy
    /// Whether somebody waits for the turn and not for the delivery alone.
    package var waitsForTurn: Bool
    package var limits: Limits

    package init(
      sessionID: String,
      isNewSession: Bool,
      turn: ClientMessage.Turn,
      thinking: ThinkingLevel? = nil,
      whenBusy: WhenBusy = .queue,
      waitsForTurn: Bool = false,
      limits: Limits = Limits()
    ) {
      self.sessionID = sessionID
      self.isNewSession = isNewSession
      self.turn = turn
      self.thinking = thinking
      self.whenBusy = whenBusy
      self.waitsForTurn = waitsForTurn
      self.limits = limits
    }
  }

  /// How a prompt meets a running turn.
  package enum WhenBusy: Sendable, Hashable {
    /// It waits for the turn's end.
    case queue
    /// The turn hears it once its present tool calls are over.
    case steer
  }

  /// What the server says of the session that the prompt goes to.
  package struct Place: Sendable, Hashable {
    package var workspaceID: String?
    package var workspaceName: String?
    package var model: String?
    package var thinking: String?

    package init(workspaceID: String? = nil, workspaceName: String? = nil, model: String? = nil) {
      self.workspaceID = workspaceID
      self.workspaceName = workspaceName
      self.model = model
    }
  }

  /// A prompt that has left.
  struct Shipment: Sendable, Hashable {
    /// A prompt that comes while a turn runs is lost by the server, a follow-up that comes while
    /// none does is refused.
    enum Kind: Sendable, Hashable {
      case prompt
      case followUp
      case steer
    }

    var kind: Kind
    var leftAt: Moment
    /// When the server's word is no longer waited for; `nil` for ever.
    var until: Moment?
    var isRepeat = false
    /// How often the connection was lost since.
    var losses = 0
    /// Whether a prompt was refused that may have been this one.
    var isSuspect = false
  }

  /// What a second look has found so far.
  struct CatchUp: Sendable, Hashable {
    /// How many messages the session has now.
    var messageCount: Int?
    /// A failure of an agent that began nothing.
    var error: String?
  }

  /// How far the agent behind a stream has come, where the prompt left before that was known.
  enum Start: Sendable, Hashable {
    case pending
    /// An older server says so and then ends the stream; what was sent over it is lost unread.
    case failed(Refusal)
    case done
  }

  enum State: Sendable, Hashable {
    /// Nothing has left; a stream is being opened.
    case opening
    /// Nothing has left; the agent is being started, or finishes stopping.
    case starting
    /// Nothing has left; the level of thinking is being set.
    case settingLevel(Session.Status)
    /// Nothing was heard of it yet.
    case sent(Shipment, Start)
    /// The server has handed it to the agent, whose first sign is awaited since a moment.
    case dispatched(Shipment, since: Moment, looks: Int)
    /// The connection was lost; another is opened now or at a moment.
    case reopening(Shipment, nextTry: Moment?)
    /// An older server's new stream stands; its agent is being looked up, or started anew.
    case returning(Shipment)
    /// A new stream stands; the REST interface is being asked about the server behind it.
    case looking(Shipment, messageCount: Int?)
    /// The events since the prompt left are on their way.
    case catchingUp(Shipment, CatchUp)
    /// Whether the message still waits behind the running turn.
    case checkingQueue(Shipment)
    case deleting(Verdict, until: Moment)
    case settled(Verdict)
  }

  package let order: Order
  package private(set) var place: Place
  /// Learned when a stream was opened.
  package private(set) var dialect: PairedServer.Dialect?
  /// The id under which the prompt goes, or went last.
  package private(set) var clientTurnID: String
  /// Whether the session, made in vain, was removed again.
  package internal(set) var isSessionDeleted = false
  /// The session's counter when the prompt left: what comes after may be of this prompt.
  package internal(set) var anchor = 0
  /// How many messages the session had when the prompt left.
  var messageCount = 0
  /// Whether it was sent again, under the same id, to an agent that would have known it.
  package internal(set) var wasRepeated = false
  var state = State.opening
  /// Counts the streams, so that an answer is never taken for that to an earlier request.
  var streamCount = 0

  /// Begins a delivery whose stream is being opened.
  package init(_ order: Order, place: Place = Place()) {
    self.order = order
    self.place = place
    clientTurnID = order.turn.clientTurnID
  }

  /// Begins a delivery over a stream that stands and is subscribed, to a session that is idle or at
  /// work; returns the first actions.
  package static func begun(
    _ order: Order,
    place: Place = Place(),
    over dialect: PairedServer.Dialect,
    status: Session.Status,
    sequence: Int,
    messageCount: Int,
    at now: Moment
  ) -> (PromptDelivery, [Action]) {
    var delivery = PromptDelivery(order, place: place)
    delivery.dialect = dialect
    delivery.streamCount = 1
    delivery.anchor = sequence
    delivery.messageCount = messageCount
    let actions = delivery.deliver(to: status, at: now)
    return (delivery, actions)
  }

  /// How far the prompt has come; `nil` before the end.
  package var verdict: Verdict? {
    if case .settled(let verdict) = state { verdict } else { nil }
  }

  /// Whether the prompt has left at least once.
  package var hasLeft: Bool {
    switch state {
    case .opening, .starting, .settingLevel: false
    default: true
    }
  }

  /// When the delivery wants to be woken; `nil` where it waits for events alone.
  package var wakeAt: Moment? {
    let limits = order.limits
    switch state {
    case .opening, .starting, .settingLevel: return limits.total
    case .sent(let shipment, _), .returning(let shipment), .looking(let shipment, _),
      .catchingUp(let shipment, _), .checkingQueue(let shipment):
      return shipment.until
    case .dispatched(_, let moment, _):
      let look = dialect == .perSession ? moment + limits.silence : nil
      return Self.earliest(
        limits.total,
        order.waitsForTurn ? look : moment + limits.firstSign
      )
    case .reopening(let shipment, let nextTry): return Self.earliest(shipment.until, nextTry)
    case .deleting(_, let until): return until
    case .settled: return nil
    }
  }

  private static func earliest(_ moments: Moment?...) -> Moment? {
    moments.compactMap(\.self).min()
  }

  /// Takes an event and returns what is to be done.
  package mutating func handle(_ event: Event, at now: Moment) -> [Action] {
    switch event {
    case .opened(let dialect):
      self.dialect = dialect
      streamCount += 1
      return opened(at: now)
    case .received(let message):
      guard message.sessionID == nil || message.sessionID == order.sessionID else { return [] }
      learn(from: message.kind)
      return receive(message, at: now)
    case .lost: return lose(at: now)
    case .shutOut: return shutOut()
    case .looked(let sighting): return look(at: sighting, at: now)
    case .deleted(let isDeleted):
      guard case .deleting(let verdict, _) = state else { return [] }
      isSessionDeleted = isDeleted
      return settle(verdict)
    case .woke:
      guard let wakeAt, wakeAt <= now else { return [] }
      return wake(at: now)
    }
  }

  private mutating func learn(from kind: ServerMessage.Kind) {
    switch kind {
    case .connected(let session, _), .state(let session):
      guard session.id == order.sessionID else { return }
      place.model = session.model ?? place.model
      place.thinking = session.thinkingLevel ?? place.thinking
      place.workspaceID = place.workspaceID ?? session.workspaceID
      place.workspaceName = place.workspaceName ?? session.workspaceName
    case .commandResult(let result) where result.requestID == requestID(.level):
      place.thinking = result.data["level"].string?.safeLine(limit: 40) ?? place.thinking
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

  /// Derived from the turn's id, which nobody else has.
  func requestID(_ name: RequestName) -> String {
    "\(clientTurnID).\(streamCount).\(name.rawValue)"
  }

  func request(_ message: ClientMessage, _ name: RequestName) -> Request {
    Request(message, id: requestID(name))
  }

  /// What starts the session's agent; an older server's stream is the subscription itself.
  func subscription(since sequence: Int? = nil) -> [Request] {
    dialect == .multiplexed ? [request(.subscribe(since: sequence), .subscribe)] : []
  }

  func message(_ kind: Shipment.Kind) -> Request {
    var turn = order.turn
    turn.clientTurnID = clientTurnID
    return switch kind {
    case .prompt: request(.prompt(turn), .prompt)
    case .followUp: request(.followUp(turn), .prompt)
    case .steer: request(.steer(turn), .prompt)
    }
  }

  /// Takes a new id, because the server has seen the one so far with another kind of message.
  mutating func renew() {
    clientTurnID += "-again"
  }

  // MARK: - Ends

  mutating func settle(_ verdict: Verdict) -> [Action] {
    state = .settled(verdict)
    return [.settle(verdict)]
  }

  /// Ends with a definite no; a session that was made for nothing else is removed.
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
    // Somebody else is at work there, or the refusal is a conclusion and not the server's word.
    case .busy, .silent, .dropped: false
    }
  }
}
