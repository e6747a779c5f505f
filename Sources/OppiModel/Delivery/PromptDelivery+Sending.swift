// SPDX-License-Identifier: MIT

extension PromptDelivery {
  mutating func opened(at now: Moment) -> [Action] {
    switch state {
    case .opening: return begin(at: now)
    case .reopening(let shipment, _):
      // Open the stream before the query, so that the query reaches the same server.
      if stream?.subscribes == true {
        state = .looking(shipment, messageCount: nil)
        return [.look(since: nil)]
      }
      state = .returning(shipment)
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
    state = .sent(shipment(.prompt, at: now), .pending)
    let setting = level.map { request(.setThinkingLevel($0), .level) }
    return [.send(subscription() + [setting].compactMap(\.self) + [message(.prompt)])]
  }

  // MARK: - Before the prompt is sent

  mutating func receive(_ message: ServerMessage, at now: Moment) -> [Action] {
    switch state {
    case .starting: return hearOfStart(message, at: now)
    case .settingLevel(let status): return hearOfLevel(message, status, at: now)
    case .sent(let shipment, let start): return hear(message, of: shipment, start, at: now)
    case .dispatched(let shipment, _, _):
      return hear(message, ofDispatched: shipment, at: now)
    case .returning(let shipment): return hear(message, onReturnOf: shipment)
    case .catchingUp(let shipment, let catchUp):
      return hear(message, catchingUpOn: shipment, catchUp, at: now)
    case .checkingQueue: return hearOfQueue(message)
    // A feed of the session may report the prompt.
    case .reopening, .looking: return hearOfFate(message)
    case .opening, .deleting, .settled: return []
    }
  }

  private mutating func hearOfStart(_ message: ServerMessage, at now: Moment) -> [Action] {
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

  private mutating func hearOfLevel(
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
      if let failure = result.failure { return refuse(.rejected(failure, code: nil), at: now) }
      return deliver(to: status, at: now)
    default: return []
    }
  }

  mutating func deliver(to status: Session.Status, at now: Moment) -> [Action] {
    let isPrompt = status != .busy || stream?.queuesPrompts == true
    let kind = isPrompt ? .prompt : kindWhenBusy
    state = .sent(shipment(kind, at: now), .done)
    return [.send([message(kind)])]
  }

  /// The type of a message to a running turn.
  var kindWhenBusy: Shipment.Kind { order.whenBusy == .queue ? .followUp : .steer }

  private mutating func shipment(_ kind: Shipment.Kind, at now: Moment) -> Shipment {
    setAnchor()
    let limits = order.limits
    return Shipment(kind: kind, leftAt: now, until: limits.total ?? now + limits.start)
  }
}
