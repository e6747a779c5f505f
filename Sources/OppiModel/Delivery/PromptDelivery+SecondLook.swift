// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// The number of retries for which the pause doubles, from 0.1 s.
  private static let doublings = 4
  /// The number of streams that a server may end before the prompt was sent.
  static let expiryLimit = 3

  mutating func lose(at now: Moment) -> [Action] {
    switch state {
    case .opening, .starting, .settingLevel: return settle(.notSent)
    case .sent(_, .failed(let refusal)): return refuse(refusal, at: now)
    case .sent(var shipment, _):
      // All further steps share the time that starts at the first loss.
      if shipment.losses == 0 {
        shipment.until = max(order.limits.total ?? now, now + order.limits.secondLook)
      }
      return reopen(shipment, at: now)
    // The server's confirmation remains valid without the stream.
    case .dispatched(let shipment, _, _): return settle(Self.accepted(shipment))
    case .reopening(let shipment, _), .returning(let shipment), .looking(let shipment, _),
      .catchingUp(let shipment, _), .checkingQueue(let shipment):
      return reopen(shipment, at: now)
    case .deleting, .settled: return []
    }
  }

  /// Handles the planned end of a stream, which is no failure.
  mutating func expire(at now: Moment) -> [Action] {
    switch state {
    case .starting, .settingLevel:
      guard streamCount <= Self.expiryLimit else { return settle(.notSent) }
      state = .opening
      return [.open]
    default: return lose(at: now)
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
    case .dispatched(let shipment, _, _): settle(Self.accepted(shipment))
    case .deleting, .settled: []
    }
  }

  mutating func withhold() -> [Action] {
    switch state {
    case .opening, .starting, .settingLevel: settle(.notSent)
    // If the server rejected the first message and the second was not sent, nothing was delivered.
    case .sent(let shipment, _): settle(shipment.isRepeat ? .unknown(.lost) : .notSent)
    case .dispatched, .reopening, .returning, .looking, .catchingUp, .checkingQueue, .deleting,
      .settled:
      []
    }
  }

  // MARK: - Queries

  mutating func look(at sighting: Sighting?, at now: Moment) -> [Action] {
    switch state {
    case .dispatched(_, _, let looks): return look(at: sighting, afterLooks: looks, at: now)
    case .looking(let shipment, let messageCount):
      guard let sighting else { return [.close] + reopen(shipment, at: now) }
      return judge(sighting, shipment, messageCount, at: now)
    default: return []
    }
  }

  /// Continues only if the agent that may have received the prompt is still running: its successor
  /// does not know what it received just before its end.
  private mutating func judge(
    _ sighting: Sighting,
    _ shipment: Shipment,
    _ messageCount: Int?,
    at now: Moment
  ) -> [Action] {
    let isSame =
      stream?.namesAgents == true
      ? anchorEpoch != nil && anchorEpoch == epoch
      : sighting.uptime.map { $0 >= now - shipment.leftAt } ?? false
    guard sighting.status != .stopped, isSame else {
      // In an existing session, the prompt may come from another client.
      let isInTrace =
        order.isNewSession
        && (sighting.userTexts.contains(where: mayBeOurs)
          || sighting.events?.contains(where: isOwn) == true)
      // Close the stream: it is not subscribed to the session, so it is of no use to the caller.
      return [.close] + settle(isInTrace ? .delivered(.accepted) : .unknown(.agentGone))
    }
    state = .catchingUp(
      shipment,
      CatchUp(
        messageCount: messageCount,
        userTexts: sighting.userTexts,
        isIdle: sighting.status == .ready
      )
    )
    if stream?.subscribes == true { return [.send(subscription(since: anchor))] }
    guard let events = sighting.events else { return settle(.unknown(.agentGone)) }
    for event in events {
      let actions = receive(event, at: now)
      if !actions.isEmpty { return actions }
    }
    return caughtUp(at: now)
  }

  /// Concludes that an agent which repeatedly shows no activity has not accepted the prompt.
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

  /// Handles a message of a stream that does not belong to this delivery.
  mutating func hearOfFate(_ message: ServerMessage) -> [Action] {
    guard case .messageEnd(.user, let text) = message.kind, isOurs(text),
      message.sequence.map({ $0 > anchor }) ?? true
    else { return [] }
    return settle(.delivered(.started))
  }
}
