// SPDX-License-Identifier: MIT

/// How a session's stream of events stands, across lost connections; no input or output.
///
/// No durable event is let through twice. After every connection the owner is told, once, whether
/// any is missing and how the session stands.
package struct FeedState: Sendable, Hashable {
  /// The time since the feed began.
  package typealias Moment = Duration

  /// What the owner of the feed has to do.
  package enum Action: Sendable, Hashable {
    case open
    /// Subscribe in full, from a counter on where one is known.
    case subscribe(since: Int?)
    /// Ask the REST interface for the durable events after a counter; answered by ``fetched(_:)``.
    case fetchEvents(since: Int)
  }

  /// How the session stood when the news had caught up with it.
  package struct Standing: Sendable, Hashable {
    /// What the session does, as the stream has told last.
    package var status: Session.Status
    /// Whether this is the first connection of the feed.
    package var isFirst: Bool
    /// Whether every durable event since the connection before was let through.
    package var isComplete: Bool
    /// Whether the agent of before is known to be gone, because its counter fell back.
    package var isNewAgent: Bool
  }

  /// What to do with a message, and what follows from it.
  package struct Reading: Sendable, Hashable {
    /// Whether the message is news.
    package var isNews: Bool
    package var action: Action?
    package var standing: Standing?
    /// The server's reason for not letting the feed in.
    package var refusal: PromptDelivery.Refusal?
  }

  /// Where the feed stands.
  package enum Phase: Sendable, Hashable {
    case opening
    /// The stream stands, and what was missed is on its way.
    case catchingUp(PairedServer.Dialect)
    /// An older server tells over REST what was missed.
    case fetching
    case live
    /// No stream stands; the next try comes at a moment.
    case lost(until: Moment)
    /// The server was away for longer than the feed has patience.
    case givenUp
  }

  /// The session that the feed is of.
  package let sessionID: String
  /// Where the feed stands.
  package private(set) var phase: Phase
  /// The counter of the last durable event that is known to have been let through; also the point
  /// at which the feed began.
  package private(set) var anchor: Int?
  private var isFirst = true
  private var isNewAgent = false
  /// The counter at the subscription, which events that are replayed must reach.
  private var connectedSequence = 0
  /// As last told over the stream.
  private var status = Session.Status.unknown("")
  private var lastError: PromptDelivery.Refusal?
  private var reconnect: Reconnect

  /// Begins a feed whose stream is being opened.
  package init(sessionID: String, patience: Duration?) {
    self.sessionID = sessionID
    phase = .opening
    reconnect = Reconnect(patience: patience)
  }

  /// Takes over a subscription that stands, or stood until now, from a counter on.
  package mutating func adopt(anchor: Int?, isOpen: Bool, at now: Moment) {
    self.anchor = anchor
    isFirst = false
    phase = isOpen ? .live : .lost(until: now)
    if isOpen { reconnect.succeeded(at: now) }
  }

  // MARK: - Connections

  /// Takes it that the stream stands.
  package mutating func opened(_ dialect: PairedServer.Dialect) -> Action? {
    phase = .catchingUp(dialect)
    lastError = nil
    return dialect == .multiplexed ? .subscribe(since: anchor) : nil
  }

  /// Takes it that the stream was lost or could not be opened.
  package mutating func failed(at now: Moment, spread: Double) {
    guard phase != .givenUp else { return }
    let next = reconnect.failed(at: now, spread: spread)
    phase = next.map(Phase.lost(until:)) ?? .givenUp
  }

  /// Takes it that the moment of the next try has come.
  package mutating func retry(at now: Moment) -> Action? {
    guard case .lost(let moment) = phase, moment <= now else { return nil }
    phase = .opening
    return .open
  }

  /// Whether the very first connection has yet to stand: its failure is the owner's business.
  package var isFirstConnection: Bool { isFirst }

  /// Whether the stream stands, and has yet to tell how the session does.
  package var isCatchingUp: Bool {
    if case .catchingUp = phase { true } else { false }
  }

  /// Why an older server ended the stream, where it said so.
  package var farewell: PromptDelivery.Refusal? { lastError }

  // MARK: - Messages

  /// Takes a message of the stream.
  package mutating func read(
    _ message: ServerMessage,
    requestID: String,
    at now: Moment
  ) -> Reading {
    guard message.sessionID == nil || message.sessionID == sessionID else {
      return Reading(isNews: true)
    }
    var reading = Reading(isNews: admit(message))
    switch message.kind {
    case .connected(let session, let sequence) where session.id == sessionID:
      meet(sequence)
    case .state(let session) where session.id == sessionID:
      status = session.status
      if phase == .catchingUp(.perSession) {
        (reading.action, reading.standing) = caughtUp(at: now)
      }
    case .commandResult(let result)
    where result.requestID == requestID && phase == .catchingUp(.multiplexed):
      if let failure = result.failure {
        reading.refusal = PromptDelivery.Refusal(startFailure: failure, code: nil)
      } else {
        let isComplete = result.data["catchUpComplete"] != false
        reading.standing = stand(isComplete: isComplete, at: now)
      }
    case .error(let text, let code, _) where message.sequence == nil && phase != .live:
      lastError = PromptDelivery.Refusal(startFailure: text, code: code)
    default: break
    }
    return reading
  }

  /// Takes the durable events of an older server; `nil` where they cannot be had.
  ///
  /// - Returns: Those that are news, and how the session stands then.
  package mutating func fetched(
    _ events: [ServerMessage]?,
    at now: Moment
  ) -> ([ServerMessage], Standing?) {
    guard phase == .fetching else { return ([], nil) }
    let news = events?.filter { admit($0) } ?? []
    return (news, stand(isComplete: events != nil, at: now))
  }

  private mutating func admit(_ message: ServerMessage) -> Bool {
    guard let sequence = message.sequence else { return true }
    guard let anchor else {
      self.anchor = sequence
      return true
    }
    guard sequence > anchor else { return false }
    self.anchor = sequence
    return true
  }

  private mutating func meet(_ sequence: Int) {
    connectedSequence = sequence
    guard let anchor else {
      self.anchor = sequence
      return
    }
    guard sequence < anchor else { return }
    isNewAgent = true
    self.anchor = sequence
  }

  /// An older server has told how the session stands; what was missed it tells when it is asked.
  private mutating func caughtUp(at now: Moment) -> (Action?, Standing?) {
    guard !isFirst, let anchor else { return (nil, stand(isComplete: true, at: now)) }
    phase = .fetching
    return (.fetchEvents(since: anchor), nil)
  }

  private mutating func stand(isComplete: Bool, at now: Moment) -> Standing {
    defer {
      isFirst = false
      isNewAgent = false
    }
    phase = .live
    reconnect.succeeded(at: now)
    if !isComplete { anchor = max(anchor ?? 0, connectedSequence) }
    return Standing(
      status: status,
      isFirst: isFirst,
      isComplete: isComplete && !isNewAgent,
      isNewAgent: isNewAgent
    )
  }
}
