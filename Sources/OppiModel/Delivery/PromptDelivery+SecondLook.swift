// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

extension PromptDelivery {
  /// The number of retries for which the pause doubles, from 0.1 s.
  private static let doublings = 4
  /// The number of streams that a server may end before the prompt was sent.
  static let expiryLimit = 3

  mutating func lose(at now: Moment) -> [Action] {
    switch state {
    case .opening, .starting, .settingLevel: return settle(.notSent)
    case .sent(_, .unconfirmed(.failed(let refusal))): return refuse(refusal, at: now)
    // The server's confirmation remains valid without the stream.
    case .sent(let prompt, .dispatched): return settle(Self.accepted(prompt, unless: .lost))
    case .sent(var prompt, _):
      // All further steps share the time that starts at the first loss.
      if prompt.losses == 0 {
        prompt.until = max(order.limits.total ?? now, now + order.limits.secondLook)
      }
      return reopen(prompt, at: now)
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
  private mutating func reopen(_ prompt: SentPrompt, at now: Moment) -> [Action] {
    var prompt = prompt
    prompt.losses += 1
    guard prompt.losses > 1 else {
      state = .sent(prompt, .reopening(nextTry: nil))
      return [.open]
    }
    let pause = Duration.milliseconds(100 << min(prompt.losses - 2, Self.doublings))
    state = .sent(prompt, .reopening(nextTry: now + pause))
    return []
  }

  mutating func shutOut() -> [Action] {
    switch state {
    case .opening, .starting, .settingLevel: settle(.notSent)
    case .sent(let prompt, .dispatched): settle(Self.accepted(prompt, unless: .shutOut))
    case .sent: settle(.unknown(.shutOut))
    case .deleting, .settled: []
    }
  }

  mutating func withhold() -> [Action] {
    switch state {
    case .opening, .starting, .settingLevel: settle(.notSent)
    // If the server rejected the first message and the second was not sent, nothing was delivered.
    case .sent(let prompt, .unconfirmed): settle(prompt.isRepeat ? .unknown(.lost) : .notSent)
    case .sent, .deleting, .settled: []
    }
  }

  // MARK: - Queries

  mutating func look(at check: ServerCheck?, at now: Moment) -> [Action] {
    switch state {
    case .sent(let prompt, .dispatched(_, let looks)):
      guard check.map(isOfAnotherAgent) != true else {
        return settle(Self.accepted(prompt, unless: .agentGone))
      }
      return look(at: check, afterLooks: looks, at: now)
    case .sent(let prompt, .looking(let messageCount, nil)):
      guard let check else { return [.close] + reopen(prompt, at: now) }
      return resolve(check, prompt, messageCount, at: now)
    default: return []
    }
  }

  /// Whether the events are those of another agent than the one that may have received the prompt.
  private func isOfAnotherAgent(_ check: ServerCheck) -> Bool {
    anchorEpoch != nil && check.epoch.map { $0 != anchorEpoch } ?? false
  }

  /// Continues only if the agent that may have received the prompt is still running: its successor
  /// does not know what it received just before its end.
  private mutating func resolve(
    _ check: ServerCheck,
    _ prompt: SentPrompt,
    _ messageCount: Int?,
    at now: Moment
  ) -> [Action] {
    var isSame = anchorEpoch != nil && anchorEpoch == epoch
    if stream?.namesAgents != true, check.status != .stopped {
      switch uptime.resolve(check.uptime, since: prompt.leftAt, at: now) {
      case .sameProcess: isSame = true
      case .otherProcess: isSame = false
      case .undecided(let nextLook):
        state = .sent(prompt, .looking(messageCount: messageCount, nextLook: nextLook))
        return []
      }
    }
    // The agent may have been replaced since the stream has named it.
    guard check.status != .stopped, isSame, !isOfAnotherAgent(check) else {
      // In an existing session, the prompt may come from another client.
      let isInTrace =
        order.isNewSession
        && (check.userTexts.contains(where: mayBeOurs)
          || check.events?.contains(where: isOwn) == true)
      // Close the stream: it is not subscribed to the session, so it is of no use to the caller.
      return [.close] + settle(isInTrace ? .delivered(.accepted) : .unknown(.agentGone))
    }
    let catchUp = CatchUp(
      messageCount: messageCount,
      userTexts: check.userTexts,
      isIdle: check.status == .ready
    )
    state = .sent(prompt, .catchingUp(catchUp))
    if stream?.subscribes == true { return [.send(subscription(since: anchor))] }
    guard let events = check.events else { return settle(.unknown(.agentGone)) }
    for event in events {
      let actions = receive(event, at: now)
      if !actions.isEmpty { return actions }
    }
    return caughtUp(at: now)
  }

  /// Concludes that an agent which repeatedly shows no activity has not accepted the prompt.
  private mutating func look(
    at check: ServerCheck?,
    afterLooks looks: Int,
    at now: Moment
  ) -> [Action] {
    for event in check?.events ?? [] {
      let actions = receive(event, at: now)
      if !actions.isEmpty { return actions }
    }
    guard case .sent(let prompt, .dispatched(let moment, _)) = state else { return [] }
    let isIdle = check?.status == .ready && check?.events.map(Self.areOver) == true
    guard let check, isIdle, looks > 0 else {
      state = .sent(prompt, .dispatched(since: moment, looks: isIdle ? looks + 1 : 0))
      return []
    }
    // What happened may belong to the prompt: the stream may be that of an agent that has ended.
    let isCertain = check.events?.isEmpty == true && !check.reportsRefusals
    return isCertain ? refuse(.silent, at: now) : settle(.unknown(.silence))
  }

  /// Whether events leave no work before which an agent starts no prompt.
  private static func areOver(_ events: [ServerMessage]) -> Bool {
    for event in events.reversed() {
      switch event.kind {
      case .compactionStart, .retryStart: return false
      case .compactionEnd, .retryEnd, .agentStart: return true
      default: break
      }
    }
    return true
  }

  /// Handles a message of a stream that does not belong to this delivery.
  mutating func receiveOutcome(_ message: ServerMessage) -> [Action] {
    guard case .messageEnd(.user, let text) = message.kind, isOurs(text),
      message.sequence.map({ $0 > anchor }) ?? true
    else { return [] }
    return settle(.delivered(.started))
  }
}

/// The new stream of a prompt whose first stream was lost.
extension PromptDelivery {
  /// Shorter than 15 min, for which a server recognizes a repeated prompt.
  private static let memory = Duration.seconds(600)

  /// On an older server, opening the stream loads the agent, a new one if the first is gone.
  mutating func receive(_ message: ServerMessage, onReturnOf prompt: SentPrompt) -> [Action] {
    switch message.kind {
    case .connected(let session, let sequence) where session.id == order.sessionID:
      let isSame = session.status != .stopped && sequence >= anchor
      // Where agents have names, the conversation is read before the verdict.
      guard isSame || stream?.namesAgents == true else { return settle(.unknown(.agentGone)) }
      return []
    case .state(let session) where session.id == order.sessionID:
      state = .sent(prompt, .looking(messageCount: session.messageCount))
      return [.look(since: anchor)]
    default: return []
    }
  }

  mutating func receive(
    _ message: ServerMessage,
    catchingUpOn prompt: SentPrompt,
    _ catchUp: CatchUp,
    at now: Moment
  ) -> [Action] {
    var catchUp = catchUp
    switch message.kind {
    case .connected(let session, let sequence) where session.id == order.sessionID:
      guard sequence >= anchor else { return settle(.unknown(.agentGone)) }
      catchUp.messageCount = session.messageCount
      state = .sent(prompt, .catchingUp(catchUp))
    case .agentStart where order.isNewSession && isOwn(catchUp):
      return settle(.delivered(.started))
    case .messageEnd(.user, let text) where isOurs(text):
      return settle(.delivered(.started))
    case .messageEnd(.user, let text):
      catchUp.userTexts.append(text)
      state = .sent(prompt, .catchingUp(catchUp))
    case .error(let text, _, _) where message.sequence != nil:
      catchUp.error = text
      state = .sent(prompt, .catchingUp(catchUp))
    case .commandResult(let result) where result.requestID == requestID(.subscribe):
      if let failure = result.failure {
        // If the server is full, the agent's state is unknown now and may be found later.
        if case .full = Refusal(refusing: failure, code: nil) { return settle(.unknown(.lost)) }
        return settle(.unknown(.agentGone))
      }
      guard result.data["catchUpComplete"] != false else { return settle(.unknown(.agentGone)) }
      return caughtUp(at: now)
    default: break
    }
    return []
  }

  /// Whether the messages of a new session may come from the prompt.
  private func isOwn(_ catchUp: CatchUp) -> Bool {
    catchUp.userTexts.isEmpty || catchUp.userTexts.contains(where: mayBeOurs)
  }

  /// Decides by the events since the prompt was sent.
  mutating func caughtUp(at now: Moment) -> [Action] {
    guard case .sent(var prompt, .catchingUp(let catchUp)) = state else { return [] }
    guard prompt.kind == .prompt else {
      // Queued messages are not counted; only the queue can confirm one.
      guard stream?.reportsQueue == true else { return settle(.unknown(.agentGone)) }
      state = .sent(prompt, .checkingQueue)
      return [.send([request(.getQueue, .queue)])]
    }
    let hasNews = catchUp.messageCount.map { $0 > messageCount } ?? true
    // In a session created for the prompt, new messages come from the prompt unless all visible
    // texts differ.
    if hasNews, order.isNewSession, isOwn(catchUp) {
      if let error = catchUp.error { return refuse(.agentRefused(error), at: now) }
      return settle(.delivered(.accepted))
    }
    guard mayRepeat(prompt, catchUp, hasNews: hasNews, at: now) else {
      return settle(.unknown(.agentGone))
    }
    guard order.mayRepeat else { return settle(.unknown(.lost)) }
    prompt.isRepeat = true
    prompt.hasFailure = catchUp.error != nil
    wasRepeated = true
    state = .sent(prompt, .unconfirmed(.done))
    return [.send([message(prompt.kind)])]
  }

  /// Whether the agent would not run the prompt a second time.
  private func mayRepeat(
    _ prompt: SentPrompt,
    _ catchUp: CatchUp,
    hasNews: Bool,
    at now: Moment
  ) -> Bool {
    // A restarted agent would run it, and the new messages may come from it.
    guard stream?.recognizesRepeats == true else { return !hasNews }
    if now - prompt.leftAt < Self.memory { return true }
    // Nothing has arrived since, and nothing waits in the queue.
    return !hasNews && catchUp.isIdle
  }

  mutating func receiveQueue(_ message: ServerMessage) -> [Action] {
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
