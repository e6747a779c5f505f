// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// Until so many tries the pause before the next one doubles, from a tenth of a second.
  private static let doublings = 4

  mutating func lose(at now: Moment) -> [Action] {
    switch state {
    case .opening, .starting, .settingLevel: return settle(.notSent)
    case .sent(_, .failed(let refusal)): return refuse(refusal, at: now)
    case .sent(var shipment, _):
      // What follows has the time that the first loss leaves to it.
      if shipment.losses == 0 {
        shipment.until = max(order.limits.total ?? now, now + order.limits.secondLook)
      }
      return reopen(shipment, at: now)
    // The server's word stands, whatever becomes of the stream.
    case .dispatched: return settle(.delivered(.accepted))
    case .reopening(let shipment, _), .returning(let shipment), .looking(let shipment, _),
      .catchingUp(let shipment, _), .checkingQueue(let shipment):
      return reopen(shipment, at: now)
    case .deleting, .settled: return []
    }
  }

  /// Opens another stream, at once after the first loss and with growing pauses after others.
  private mutating func reopen(_ shipment: Shipment, at now: Moment) -> [Action] {
    var shipment = shipment
    shipment.losses += 1
    guard shipment.losses > 1 else {
      state = .reopening(shipment, nextTry: nil)
      return [.open]
    }
    let pause = Duration.milliseconds(100 << min(shipment.losses - 2, Self.doublings))
    state = .reopening(shipment, nextTry: now + pause)
    return []
  }

  mutating func shutOut() -> [Action] {
    switch state {
    case .opening, .starting, .settingLevel: settle(.notSent)
    case .sent, .reopening, .returning, .looking, .catchingUp, .checkingQueue:
      settle(.unknown(.shutOut))
    case .dispatched: settle(.delivered(.accepted))
    case .deleting, .settled: []
    }
  }

  mutating func withhold() -> [Action] {
    switch state {
    case .opening, .starting, .settingLevel: settle(.notSent)
    // A message that the server has refused before it was to leave in another form left nothing.
    case .sent(let shipment, _): settle(shipment.isRepeat ? .unknown(.lost) : .notSent)
    case .dispatched, .reopening, .returning, .looking, .catchingUp, .checkingQueue, .deleting,
      .settled:
      []
    }
  }

  // MARK: - Asking the server

  mutating func look(at sighting: Sighting?, at now: Moment) -> [Action] {
    switch state {
    case .dispatched(_, _, let looks): return look(at: sighting, afterLooks: looks, at: now)
    case .looking(let shipment, let messageCount):
      guard let sighting else { return [.close] + reopen(shipment, at: now) }
      return judge(sighting, shipment, messageCount, at: now)
    default: return []
    }
  }

  /// Goes on only where the server that may have got the prompt still runs: another one may have
  /// forgotten what it was told just before its end.
  private mutating func judge(
    _ sighting: Sighting,
    _ shipment: Shipment,
    _ messageCount: Int?,
    at now: Moment
  ) -> [Action] {
    let isSame = sighting.uptime.map { $0 >= now - shipment.leftAt } ?? false
    guard sighting.status != .stopped, isSame else {
      // Somebody else may have sent a prompt to the session since.
      let isInTrace = order.isNewSession && sighting.userTexts.contains(where: mayBeOurs)
      // Whoever goes on with the session finds nothing over a stream that is not subscribed to it.
      return [.close] + settle(isInTrace ? .delivered(.accepted) : .unknown(.agentGone))
    }
    state = .catchingUp(
      shipment,
      CatchUp(messageCount: messageCount, userTexts: sighting.userTexts)
    )
    guard dialect == .perSession else { return [.send(subscription(since: anchor))] }
    guard let events = sighting.events else { return settle(.unknown(.agentGone)) }
    for event in events {
      let actions = receive(event, at: now)
      if !actions.isEmpty { return actions }
    }
    return caughtUp(at: now)
  }

  /// Takes it that an agent which shows nothing time after time has not taken the prompt.
  private mutating func look(
    at sighting: Sighting?,
    afterLooks looks: Int,
    at now: Moment
  ) -> [Action] {
    for event in sighting?.events ?? [] {
      let actions = receive(event, at: now)
      if !actions.isEmpty { return actions }
    }
    let isIdle = sighting?.status == .ready && sighting?.events?.isEmpty == true
    guard let sighting, isIdle, looks > 0 else {
      if case .dispatched(let shipment, let moment, _) = state {
        state = .dispatched(shipment, since: moment, looks: isIdle ? looks + 1 : 0)
      }
      return []
    }
    return sighting.reportsRefusals ? settle(.unknown(.silence)) : refuse(.silent, at: now)
  }

  /// Hears over a stream that is not this delivery's.
  mutating func hearOfFate(_ message: ServerMessage) -> [Action] {
    guard case .messageEnd(.user, let text) = message.kind, isOurs(text),
      message.sequence.map({ $0 > anchor }) ?? true
    else { return [] }
    return settle(.delivered(.started))
  }

  // MARK: - A new stream

  /// On an older server the stream's opening loads the agent, a new one where the first has gone.
  mutating func hear(_ message: ServerMessage, onReturnOf shipment: Shipment) -> [Action] {
    switch message.kind {
    case .connected(let session, let sequence) where session.id == order.sessionID:
      guard session.status != .stopped, sequence >= anchor else {
        return settle(.unknown(.agentGone))
      }
      return []
    case .state(let session) where session.id == order.sessionID:
      state = .looking(shipment, messageCount: session.messageCount)
      return [.look(since: anchor)]
    default: return []
    }
  }

  mutating func hear(
    _ message: ServerMessage,
    catchingUpOn shipment: Shipment,
    _ catchUp: CatchUp,
    at now: Moment
  ) -> [Action] {
    var catchUp = catchUp
    switch message.kind {
    case .connected(let session, let sequence) where session.id == order.sessionID:
      guard sequence >= anchor else { return settle(.unknown(.agentGone)) }
      catchUp.messageCount = session.messageCount
      state = .catchingUp(shipment, catchUp)
    case .agentStart where order.isNewSession && isOwn(catchUp):
      return settle(.delivered(.started))
    case .messageEnd(.user, let text) where isOurs(text):
      return settle(.delivered(.started))
    case .messageEnd(.user, let text):
      catchUp.userTexts.append(text)
      state = .catchingUp(shipment, catchUp)
    case .error(let text, _, _) where message.sequence != nil:
      catchUp.error = text
      state = .catchingUp(shipment, catchUp)
    case .commandResult(let result) where result.requestID == requestID(.subscribe):
      if let failure = result.failure {
        // Without room for the agent nothing can be said of it, and later there may be some.
        let isFull = Refusal(refusing: failure, code: nil).isFull
        return settle(.unknown(isFull ? .lost : .agentGone))
      }
      guard result.data["catchUpComplete"] != false else { return settle(.unknown(.agentGone)) }
      return caughtUp(at: now)
    default: break
    }
    return []
  }

  /// Whether nothing speaks against it that what a new session has got is the prompt.
  private func isOwn(_ catchUp: CatchUp) -> Bool {
    catchUp.userTexts.isEmpty || catchUp.userTexts.contains(where: mayBeOurs)
  }

  /// Decides by what the session has got since the prompt left.
  private mutating func caughtUp(at now: Moment) -> [Action] {
    guard case .catchingUp(var shipment, let catchUp) = state else { return [] }
    guard shipment.kind == .prompt else {
      // Waiting messages are not counted; the queue alone can vouch for one.
      guard dialect == .multiplexed else { return settle(.unknown(.agentGone)) }
      state = .checkingQueue(shipment)
      return [.send([request(.getQueue, .queue)])]
    }
    guard let count = catchUp.messageCount, count <= messageCount else {
      // Something has come since. In a session made for the prompt that is the prompt, unless all that
      // is seen of it is another one; elsewhere an agent that was started anew would run it a second
      // time.
      guard order.isNewSession, isOwn(catchUp) else { return settle(.unknown(.agentGone)) }
      if let error = catchUp.error { return refuse(.agentRefused(error), at: now) }
      return settle(.delivered(.accepted))
    }
    guard order.mayRepeat else { return settle(.unknown(.lost)) }
    shipment.isRepeat = true
    wasRepeated = true
    state = .sent(shipment, .done)
    return [.send([message(shipment.kind)])]
  }

  mutating func hearOfQueue(_ message: ServerMessage) -> [Action] {
    switch message.kind {
    case .messageEnd(.user, let text) where isOurs(text):
      return settle(.delivered(.started))
    case .queueState(let queue):
      let isWaiting = queue.contains { $0.id == clientTurnID }
      return settle(isWaiting ? .delivered(.queued) : .unknown(.agentGone))
    default: return []
    }
  }
}
