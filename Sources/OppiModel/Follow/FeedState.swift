// SPDX-License-Identifier: MIT

import OppiText
package import OppiWire

/// The state of a session's event stream across lost connections; no input or output.
///
/// No durable event is passed on twice. After each connection, the owner is informed once whether
/// events are missing and of the session's status.
package struct FeedState: Sendable, Hashable {
  /// Time since the feed started.
  package typealias Moment = Duration

  /// The state of the session when the feed has caught up.
  package struct CatchUp: Sendable, Hashable {
    package var status: Session.Status
    /// Whether this is the first connection of the feed.
    package var isFirst: Bool
    /// Whether every durable event since the previous connection was passed on.
    package var isComplete: Bool
    /// Whether the previous agent is gone, because another one is named or the sequence number
    /// decreased.
    package var isNewAgent: Bool
    /// Whether the previous stream ended as planned, and this one replaced it at once.
    package var isRenewal = false
  }

  /// The effect of a message; `refusal` is the server's reason for refusing the subscription.
  package typealias Reading = (
    isNews: Bool, catchUp: CatchUp?, refusal: PromptDelivery.Refusal?
  )

  package enum Phase: Sendable, Hashable {
    case opening
    /// The stream is open, and missed events are being received.
    case catchingUp(Dialect.Stream)
    /// The durable events after ``anchor`` must be fetched over REST; answer: ``fetched(_:of:at:)``.
    case fetching
    case live
    /// There is no stream; the next attempt is made at the given time.
    case lost(until: Moment)
    /// The session has ended, and so has the stream as planned; another one would start its agent.
    case resting
    /// The server was unreachable for longer than the feed waits.
    case givenUp
  }

  /// The number of planned ends in sequence that are not treated as failures.
  private static let renewalLimit = 3

  package let sessionID: String
  package private(set) var phase: Phase
  /// The sequence number of the last durable event passed on, or of the feed's start.
  package private(set) var anchor: Int?
  /// The agent that counts ``anchor``; `nil` on servers that do not name agents.
  private var epoch: String?
  /// Whether no stream has passed on anything yet.
  package private(set) var isFirst = true
  /// Whether a stream was opened; the owner handles a failure before that.
  package private(set) var hasConnected = false
  private var isNewAgent = false
  /// Whether the new stream is known to be of the agent that counts ``anchor``.
  private var isContinuation = false
  /// The sequence number at the subscription, which replayed events must reach.
  private var connectedSequence = 0
  private var connectedEpoch: String?
  private var hasSessionEnded = false
  /// The planned ends since the last catch-up.
  private var renewals = 0
  /// As last reported in the stream.
  private var status = Session.Status.unknown("")
  /// The reason that an older server gave for closing the stream.
  package private(set) var farewell: PromptDelivery.Refusal?
  private var reconnect: Reconnect

  /// Starts a feed whose stream is being opened; `timeout` is the longest outage.
  package init(sessionID: String, timeout: Duration?) {
    self.sessionID = sessionID
    phase = .opening
    reconnect = Reconnect(timeout: timeout)
  }

  /// Takes over a subscription that is open, or was until now, after a sequence number of an agent.
  package mutating func adopt(anchor: Int?, epoch: String? = nil, isOpen: Bool, at now: Moment) {
    self.anchor = anchor
    self.epoch = epoch
    (hasConnected, isFirst) = (true, false)
    phase = isOpen ? .live : .lost(until: now)
    if isOpen { reconnect.succeeded(at: now) }
  }

  // MARK: - Connections

  /// Handles a new stream; if it subscribes, that is to all events after ``anchor``.
  package mutating func opened(_ stream: Dialect.Stream) {
    phase = .catchingUp(stream)
    hasConnected = true
    isContinuation = false
    farewell = nil
  }

  /// Handles a stream that was lost or could not be opened.
  package mutating func failed(at now: Moment, spread: Double) {
    guard phase != .givenUp else { return }
    renewals = 0
    // The next stream continues what this one passed on.
    if anchor != nil { isFirst = false }
    let next = reconnect.failed(at: now, spread: spread)
    phase = next.map(Phase.lost(until:)) ?? .givenUp
  }

  /// Handles a stream that the server ended as planned: another one is opened at once.
  ///
  /// Returns false if this happens so often that it is a failure.
  package mutating func expired() -> Bool {
    guard phase != .givenUp, renewals < Self.renewalLimit else { return false }
    renewals += 1
    phase = .opening
    return true
  }

  /// Handles the planned end of the stream of an ended session; returns whether the feed rests.
  package mutating func rest() -> Bool {
    guard phase == .live, hasSessionEnded else { return false }
    phase = .resting
    return true
  }

  /// Opens a stream again after a rest, which starts the session's agent.
  package mutating func wake() {
    guard phase == .resting else { return }
    renewals = 1
    phase = .opening
  }

  /// Whether the stream ended as planned, and the next one is not set up yet.
  package var isRenewing: Bool { renewals > 0 }

  /// Starts the next attempt if its time has come; returns whether a stream is to be opened.
  @discardableResult
  package mutating func retry(at now: Moment) -> Bool {
    guard case .lost(let moment) = phase, moment <= now else { return false }
    phase = .opening
    return true
  }

  /// Whether the stream is open and has not reported the session's status yet.
  package var isCatchingUp: Bool { settingUp != nil }

  private var settingUp: Dialect.Stream? {
    if case .catchingUp(let stream) = phase { stream } else { nil }
  }

  // MARK: - Messages

  package mutating func read(
    _ message: ServerMessage,
    requestID: String,
    at now: Moment
  ) -> Reading {
    guard message.sessionID == nil || message.sessionID == sessionID else {
      return (true, nil, nil)
    }
    var reading: Reading = (hears(message), nil, nil)
    switch message.kind {
    case .connected(let session, let sequence) where session.id == sessionID:
      hasSessionEnded = false
      meet(sequence, of: message.epoch)
    case .sessionEnded, .sessionDeleted: hasSessionEnded = true
    case .state(let session) where session.id == sessionID:
      status = session.status
      if settingUp?.subscribes == false { reading.catchUp = caughtUp(at: now) }
    case .commandResult(let result)
    where result.requestID == requestID && settingUp?.subscribes == true:
      if let failure = result.failure {
        reading.refusal = PromptDelivery.Refusal(startFailure: failure, code: nil)
      } else {
        let isComplete = result.data["catchUpComplete"] != false
        reading.catchUp = stand(isComplete: isComplete, at: now)
      }
    case .summary(let session) where session.id == sessionID: status = session.status
    case .error(let text, let code, _) where message.sequence == nil && phase != .live:
      farewell = PromptDelivery.Refusal(startFailure: text, code: code)
    default: break
    }
    return reading
  }

  /// Handles the durable events that a server lists, of the agent that it names; `nil` if they are
  /// not available.
  ///
  /// Returns the new events and the session's state.
  package mutating func fetched(
    _ events: [ServerMessage]?,
    of epoch: String? = nil,
    at now: Moment
  ) -> ([ServerMessage], CatchUp?) {
    guard phase == .fetching else { return ([], nil) }
    // Events after the connection come over the stream, in order with the messages between them.
    let isBounded = connectedEpoch != nil
    let isSame = epoch == nil || epoch == connectedEpoch
    let present = isSame ? events : nil
    let news = present?.filter { event in
      (!isBounded || event.sequence.map { $0 <= connectedSequence } ?? false) && admit(event)
    }
    if isBounded { anchor = max(anchor ?? 0, connectedSequence) }
    return (news ?? [], stand(isComplete: news != nil, at: now))
  }

  /// Whether a message is passed on.
  ///
  /// Events that happened while a stream of a newer server was being set up are part of those that
  /// are fetched.
  private mutating func hears(_ message: ServerMessage) -> Bool {
    if namesAgents, !isFirst, let sequence = message.sequence {
      connectedSequence = max(connectedSequence, sequence)
      return false
    }
    return admit(message)
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

  private mutating func meet(_ sequence: Int, of epoch: String?) {
    (connectedSequence, connectedEpoch) = (sequence, epoch)
    // Until the first state, nothing was passed on that a later stream would continue.
    guard let anchor, !isFirst || !namesAgents else {
      self.anchor = sequence
      return
    }
    isContinuation = epoch != nil && epoch == self.epoch && sequence >= anchor
    let isOther = self.epoch != nil && epoch != nil && epoch != self.epoch
    guard sequence < anchor || isOther else { return }
    isNewAgent = true
    self.anchor = sequence
  }

  private var namesAgents: Bool { settingUp?.namesAgents == true }

  /// The session's status was reported; missed events must be fetched.
  private mutating func caughtUp(at now: Moment) -> CatchUp? {
    guard !isFirst, let anchor else { return stand(isComplete: true, at: now) }
    if namesAgents, !isContinuation || connectedSequence == anchor {
      return stand(isComplete: isContinuation, at: now)
    }
    phase = .fetching
    return nil
  }

  private mutating func stand(isComplete: Bool, at now: Moment) -> CatchUp {
    defer {
      isFirst = false
      isNewAgent = false
      renewals = 0
    }
    phase = .live
    epoch = connectedEpoch
    reconnect.succeeded(at: now)
    if !isComplete { anchor = max(anchor ?? 0, connectedSequence) }
    return CatchUp(
      status: status,
      isFirst: isFirst,
      isComplete: isComplete && !isNewAgent,
      isNewAgent: isNewAgent,
      isRenewal: isRenewing
    )
  }
}

/// Decides when to retry a lost connection and when to give up.
///
/// The pauses grow to 30 s and are randomised, so that many clients do not reconnect to a server at
/// the same moment.
package struct Reconnect: Sendable, Hashable {
  /// Time since some starting point.
  package typealias Moment = Duration

  /// A connection that lasts this long resets the pauses; one that breaks earlier does not.
  private static let steadyTime = Duration.seconds(10)
  private static let longestPause = 30

  /// The longest outage before giving up; `nil` for no limit.
  private let timeout: Duration?
  /// The failures since the last steady connection.
  private var failures = 0
  private var lostAt: Moment?
  private var standsSince: Moment?

  package init(timeout: Duration?) {
    self.timeout = timeout
  }

  package mutating func succeeded(at now: Moment) {
    standsSince = now
    lostAt = nil
  }

  /// Records a lost connection or a failed attempt; returns the time of the next one, or `nil` to
  /// give up.
  ///
  /// `spread` is a random number from 0 to 1.
  package mutating func failed(at now: Moment, spread: Double) -> Moment? {
    if let standsSince, now - standsSince >= Self.steadyTime { failures = 0 }
    standsSince = nil
    let lostAt = lostAt ?? now
    self.lostAt = lostAt
    failures += 1
    let pause: Duration =
      failures == 1
      ? .milliseconds(200) : .seconds(min(1 << min(failures - 2, 10), Self.longestPause))
    let next = now + pause + max(pause, .seconds(1)) / 4 * min(max(spread, 0), 1)
    guard let timeout else { return next }
    let end = lostAt + timeout
    // The last attempt is made exactly at the end.
    return now >= end ? nil : min(next, end)
  }
}
