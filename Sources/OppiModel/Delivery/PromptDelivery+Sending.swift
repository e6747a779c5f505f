// SPDX-License-Identifier: MIT

package import OppiWire

extension PromptDelivery {
  mutating func opened(at now: Moment) -> [Action] {
    switch state {
    case .opening: return begin(at: now)
    case .sent(let prompt, .reopening):
      // Open the stream before the query, so that the query reaches the same server.
      if stream?.subscribes == true {
        state = .sent(prompt, .looking(messageCount: nil))
        return [.look(since: nil)]
      }
      state = .sent(prompt, .returning)
      return []
    default: return []
    }
  }

  private mutating func begin(at now: Moment) -> [Action] {
    let level = order.thinking
    // Only wait for a level that the session may not already have.
    let mayLeave = order.isNewSession && (level == nil || level == .medium)
    guard mayLeave, stream?.hearsBeforeStart == true else {
      state = .starting
      let subscription = subscription()
      return subscription.isEmpty ? [] : [.send(subscription)]
    }
    state = .sent(prompt(.prompt, at: now), .unconfirmed(.pending))
    let setting = level.map { request(.setThinkingLevel($0), .level) }
    return [.send(subscription() + [setting].compactMap(\.self) + [message(.prompt)])]
  }

  // MARK: - Before the prompt is sent

  mutating func receive(_ message: ServerMessage, at now: Moment) -> [Action] {
    switch state {
    case .starting: return receiveStart(message, at: now)
    case .settingLevel(let status): return receiveLevel(message, status, at: now)
    case .sent(let prompt, .unconfirmed(let start)):
      return receive(message, of: prompt, start, at: now)
    case .sent(let prompt, .dispatched): return receive(message, ofDispatched: prompt, at: now)
    case .sent(let prompt, .returning): return receive(message, onReturnOf: prompt)
    case .sent(let prompt, .catchingUp(let catchUp)):
      return receive(message, catchingUpOn: prompt, catchUp, at: now)
    case .sent(_, .checkingQueue): return receiveQueue(message)
    // A feed of the session may report the prompt.
    case .sent(_, .reopening), .sent(_, .looking): return receiveOutcome(message)
    case .opening, .deleting, .settled: return []
    }
  }

  private mutating func receiveStart(_ message: ServerMessage, at now: Moment) -> [Action] {
    switch message.kind {
    case .connected(let session, let sequence) where session.id == order.sessionID:
      self.sequence = sequence
      messageCount = session.messageCount
      // An older server reports the stored status here; its agent has not started yet.
      return stream?.subscribes == true ? meet(session.status, at: now) : []
    case .state(let session) where session.id == order.sessionID:
      isSetUp = true
      messageCount = session.messageCount
      return meet(session.status, at: now)
    case .summary(let session) where session.id == order.sessionID && isSetUp:
      messageCount = session.messageCount
      return meet(session.status, at: now)
    case .commandResult(let result) where result.requestID == requestID(.subscribe):
      guard let failure = result.failure else { return [] }
      return refuse(Refusal(startFailure: failure, code: nil), at: now)
    case .error(let text, let code, _)
    where stream?.subscribes == false && message.sequence == nil && !isSetUp:
      return refuse(Refusal(startFailure: text, code: code), at: now)
    default: return []
    }
  }

  /// Continues with a session whose agent is loaded.
  private mutating func meet(_ status: Session.Status, at now: Moment) -> [Action] {
    // The server accepts neither a prompt nor a follow-up while a turn is being stopped.
    guard status != .stopping else { return [] }
    guard let level = order.thinking else { return deliver(to: status, at: now) }
    state = .settingLevel(status)
    return [.send([request(.setThinkingLevel(level), .level)])]
  }

  private mutating func receiveLevel(
    _ message: ServerMessage,
    _ status: Session.Status,
    at now: Moment
  ) -> [Action] {
    switch message.kind {
    case .state(let session), .summary(let session):
      guard session.id == order.sessionID else { return [] }
      messageCount = session.messageCount
      state = .settingLevel(session.status)
      return []
    case .commandResult(let result) where result.requestID == requestID(.level):
      if let failure = result.failure { return refuse(failure, at: now) }
      return deliver(to: status, at: now)
    default: return []
    }
  }

  mutating func deliver(to status: Session.Status, at now: Moment) -> [Action] {
    let isPrompt = status != .busy || stream?.queuesPrompts == true
    let kind = isPrompt ? .prompt : kindWhenBusy
    state = .sent(prompt(kind, at: now), .unconfirmed(.done))
    return [.send([message(kind)])]
  }

  /// The type of a message to a running turn.
  var kindWhenBusy: SentPrompt.Kind { order.whenBusy == .queue ? .followUp : .steer }

  private mutating func prompt(_ kind: SentPrompt.Kind, at now: Moment) -> SentPrompt {
    setAnchor()
    let limits = order.limits
    return SentPrompt(kind: kind, leftAt: now, until: limits.total ?? now + limits.start)
  }
}

extension PromptDelivery {
  /// The messages since the prompt was sent without those of other turns that come before the
  /// prompt's own turn.
  ///
  /// If the stream was lost before the prompt's own message, its turn is known to begin after the
  /// last turn that had ended when the server accepted the prompt.
  package func ownPart(of messages: [ServerMessage]) -> [ServerMessage] {
    guard !order.isNewSession else { return messages }
    let end: Int?
    if let index = messages.firstIndex(where: isOwn) {
      end = messages[..<index].lastIndex { $0.kind.isWork || $0.kind == .agentEnd }
    } else {
      let acceptance = messages.firstIndex(where: isAcceptance) ?? 0
      end = messages[..<acceptance].lastIndex { $0.kind == .agentEnd }
    }
    return Array(messages[(end.map { $0 + 1 } ?? 0)...])
  }

  func isOwn(_ message: ServerMessage) -> Bool {
    if case .messageEnd(.user, let text) = message.kind { isOurs(text) } else { false }
  }

  private func isAcceptance(_ message: ServerMessage) -> Bool {
    switch message.kind {
    case .turnAcknowledged(let acknowledgement): acknowledgement.clientTurnID == clientTurnID
    case .commandResult(let result): result.requestID == requestID(.prompt)
    default: false
    }
  }
}

extension PromptDelivery {
  /// The data needed to determine the outcome of a sent prompt later, even in another process.
  package struct SendRecord: Sendable, Hashable {
    /// The message type; a prompt must be sent again with the same type.
    package enum Kind: String, Sendable {
      case prompt
      case followUp = "follow-up"
      case steer
    }

    package var clientTurnID: String
    package var kind: Kind
    /// The session's sequence number when the prompt was sent: later events may belong to it.
    package var anchor: Int
    package var messageCount: Int
    package var stream: Dialect.Stream
    /// The agent to which it was sent; `nil` on servers that do not name agents.
    package var epoch: String?
  }

  /// The departure and its time; `nil` if the prompt was not sent.
  package var departure: (departure: SendRecord, at: Moment)? {
    guard case .sent(let prompt, _) = state, let stream else { return nil }
    let departure = SendRecord(
      clientTurnID: clientTurnID,
      kind: prompt.kind,
      anchor: anchor,
      messageCount: messageCount,
      stream: stream,
      epoch: anchorEpoch
    )
    return (departure, prompt.leftAt)
  }

  /// Resumes a delivery whose prompt was sent and not confirmed: its connection is gone, and
  /// another stream is being opened.
  ///
  /// `moment` is when the prompt was sent, before this delivery began. The delivery queries the
  /// server before it sends anything.
  package static func resumed(
    _ order: Order,
    after departure: SendRecord,
    at moment: Moment,
    location: ReportedLocation = ReportedLocation()
  ) -> PromptDelivery {
    var delivery = PromptDelivery(order, location: location)
    delivery.clientTurnID = departure.clientTurnID
    delivery.stream = departure.stream
    delivery.epoch = departure.epoch
    delivery.sequence = departure.anchor
    delivery.setAnchor()
    delivery.messageCount = departure.messageCount
    var prompt = SentPrompt(kind: departure.kind, leftAt: moment)
    prompt.until = max(order.limits.total ?? .zero, order.limits.secondLook)
    prompt.losses = 1
    delivery.state = .sent(prompt, .reopening(nextTry: nil))
    return delivery
  }
}
