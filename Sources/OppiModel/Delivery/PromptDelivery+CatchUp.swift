// SPDX-License-Identifier: MIT

/// The new stream of a prompt whose first stream was lost.
extension PromptDelivery {
  /// Shorter than 15 min, for which a server recognizes a repeated prompt.
  private static let memory = Duration.seconds(600)

  /// On an older server, opening the stream loads the agent, a new one if the first is gone.
  mutating func hear(_ message: ServerMessage, onReturnOf shipment: Shipment) -> [Action] {
    switch message.kind {
    case .connected(let session, let sequence) where session.id == order.sessionID:
      let isSame = session.status != .stopped && sequence >= anchor
      // Where agents have names, the conversation is read before the verdict.
      guard isSame || stream?.namesAgents == true else { return settle(.unknown(.agentGone)) }
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
        // If the server is full, the agent's state is unknown now and may be found later.
        let isFull = Refusal(refusing: failure, code: nil).isFull
        return settle(.unknown(isFull ? .lost : .agentGone))
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
    guard case .catchingUp(var shipment, let catchUp) = state else { return [] }
    guard shipment.kind == .prompt else {
      // Queued messages are not counted; only the queue can confirm one.
      guard stream?.reportsQueue == true else { return settle(.unknown(.agentGone)) }
      state = .checkingQueue(shipment)
      return [.send([request(.getQueue, .queue)])]
    }
    let hasNews = catchUp.messageCount.map { $0 > messageCount } ?? true
    // In a session created for the prompt, new messages come from the prompt unless all visible
    // texts differ.
    if hasNews, order.isNewSession, isOwn(catchUp) {
      if let error = catchUp.error { return refuse(.agentRefused(error), at: now) }
      return settle(.delivered(.accepted))
    }
    guard mayRepeat(shipment, catchUp, hasNews: hasNews, at: now) else {
      return settle(.unknown(.agentGone))
    }
    guard order.mayRepeat else { return settle(.unknown(.lost)) }
    shipment.isRepeat = true
    shipment.hasFailure = catchUp.error != nil
    wasRepeated = true
    state = .sent(shipment, .done)
    return [.send([message(shipment.kind)])]
  }

  /// Whether the agent would not run the prompt a second time.
  private func mayRepeat(
    _ shipment: Shipment,
    _ catchUp: CatchUp,
    hasNews: Bool,
    at now: Moment
  ) -> Bool {
    // A restarted agent would run it, and the new messages may come from it.
    guard stream?.recognizesRepeats == true else { return !hasNews }
    if now - shipment.leftAt < Self.memory { return true }
    // Nothing has arrived since, and nothing waits in the queue.
    return !hasNews && catchUp.isIdle
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
