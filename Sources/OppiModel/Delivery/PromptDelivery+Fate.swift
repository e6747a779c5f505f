// SPDX-License-Identifier: MIT

import OppiWire

extension PromptDelivery {
  // MARK: - Sent

  mutating func receive(
    _ message: ServerMessage,
    of prompt: SentPrompt,
    _ start: Start,
    at now: Moment
  ) -> [Action] {
    switch message.kind {
    case .connected(let session, let sequence)
    where session.id == order.sessionID && start == .pending:
      self.sequence = sequence
      setAnchor()
    case .state(let session) where session.id == order.sessionID && start == .pending:
      state = .sent(prompt, .unconfirmed(.done))
    case .turnAcknowledged(let acknowledgement)
    where acknowledgement.clientTurnID == clientTurnID:
      // `accepted` only means that the message was read.
      guard acknowledgement.stage != .accepted || acknowledgement.isDuplicate else { return [] }
      return acknowledged(acknowledgement, prompt, at: now)
    case .queueState(let queue) where isQueued(in: queue): return settle(.delivered(.queued))
    case .commandResult(let result): return receive(result, of: prompt, at: now)
    // The prompt runs, even if the acknowledgement was lost.
    case .messageEnd(.user, let text) where isOurs(text): return settle(.delivered(.started))
    case .error(let text, let code, _)
    where stream?.subscribes == false && message.sequence == nil && start == .pending:
      state = .sent(prompt, .unconfirmed(.failed(Refusal(startFailure: text, code: code))))
    // The error for a deleted session names no request.
    case .error(let text, let code, _)
    where ServerRefusal(words: text) == .sessionNotFound && !prompt.isRepeat:
      return refuse(.rejected(text, code: code), at: now)
    default: break
    }
    return []
  }

  private mutating func acknowledged(
    _ acknowledgement: TurnAcknowledgement,
    _ prompt: SentPrompt,
    at now: Moment
  ) -> [Action] {
    let isAccepted = acknowledgement.stage != .accepted && !prompt.hasFailure
    let isProof = stream?.recognizesRepeats == true && isAccepted
    var prompt = prompt
    prompt.isKnown = acknowledgement.isDuplicate && !isProof
    let actions = dispatched(prompt, at: now)
    // What the server reported about the first message may be lost.
    guard acknowledgement.isDuplicate, stream?.queuesPrompts == true, verdict == nil else {
      return actions
    }
    return actions + [.send([request(.getQueue, .queue)])]
  }

  /// Whether the prompt waits in the server's queue, and was sent as one that may be queued.
  private func isQueued(in queue: [QueuedMessage]) -> Bool {
    stream?.queuesPrompts == true && queue.contains { $0.id == clientTurnID }
  }

  private mutating func receive(
    _ result: CommandResult,
    of prompt: SentPrompt,
    at now: Moment
  ) -> [Action] {
    switch (result.requestID, result.failure) {
    case (requestID(.subscribe), let failure?):
      return refuse(Refusal(startFailure: failure, code: nil), at: now)
    case (requestID(.prompt), nil): return dispatched(prompt, at: now)
    case (requestID(.prompt), let failure?): return reject(prompt, failure, at: now)
    default: return []
    }
  }

  private mutating func reject(
    _ prompt: SentPrompt,
    _ text: String,
    at now: Moment
  ) -> [Action] {
    switch ServerRefusal(words: text) {
    case .noActiveTurn where prompt.kind != .prompt:
      // The turn has just ended. The server kept nothing, but the id remains bound to the type.
      renew()
      return sendAnew(prompt, as: .prompt, at: now)
    case .promptNeedsIdle where prompt.kind == .prompt && stream?.queuesPrompts == true:
      // The server does not know what a prompt becomes during a turn; it kept nothing of it, and
      // would have recognized a repeat.
      return sendAnew(prompt, as: kindWhenBusy, at: now)
    default: break
    }
    // A rejected repeat does not show what happened to the first prompt.
    if prompt.isRepeat { return settle(.unknown(.agentGone)) }
    return refuse(text, at: now)
  }

  /// Ends with the rejection of a message of which the server kept nothing, unless the agent has just
  /// ended: another stream starts another agent.
  mutating func refuse(_ text: String, at now: Moment) -> [Action] {
    guard ServerRefusal(words: text) == .sessionNotActive, streamCount <= Self.expiryLimit else {
      return refuse(.rejected(text, code: nil), at: now)
    }
    state = .opening
    return [.close, .open]
  }

  /// Sends the prompt as another type of message, because it is certain that the first will not run.
  private mutating func sendAnew(
    _ prompt: SentPrompt,
    as kind: SentPrompt.Kind,
    at now: Moment
  ) -> [Action] {
    setAnchor()
    var prompt = prompt
    prompt.kind = kind
    prompt.leftAt = now
    prompt.isRepeat = false
    prompt.isSuspect = false
    prompt.hasFailure = false
    state = .sent(prompt, .unconfirmed(.done))
    return [.send([message(kind)])]
  }

  func isOurs(_ text: String) -> Bool { own.isText(of: text) }

  /// Whether a user message is this prompt, or the text of a template that it names.
  func mayBeOurs(_ text: String) -> Bool { !own.isOvertaken(by: text) }

  private var own: OwnPrompt {
    OwnPrompt(id: clientTurnID, text: order.prompt.text, isQueued: false)
  }

  // MARK: - Accepted by the server

  private mutating func dispatched(_ prompt: SentPrompt, at now: Moment) -> [Action] {
    guard prompt.kind == .prompt else { return settle(.delivered(.queued)) }
    var prompt = prompt
    // During a repeat, the running turn may be its own.
    prompt.isBehindTurn =
      stream?.queuesPrompts == true && isTurnRunning && !prompt.isRepeat
    state = .sent(prompt, .dispatched(since: now, looks: 0))
    return []
  }

  /// Waits for the agent to accept the prompt; if it refuses (no login), only an error follows.
  mutating func receive(
    _ message: ServerMessage,
    ofDispatched prompt: SentPrompt,
    at now: Moment
  ) -> [Action] {
    var prompt = prompt
    switch message.kind {
    case .agentStart where order.isNewSession: return settle(.delivered(.started))
    case .queueState(let queue) where isQueued(in: queue): return settle(.delivered(.queued))
    // It has just left the queue, in the middle of the events of another turn.
    case .queueItemStarted(let item) where isQueued(in: [item]):
      return settle(.delivered(.queued))
    // If two prompts were sent at the same time, the text shows which one runs.
    case .messageEnd(.user, let text) where isOurs(text): return settle(.delivered(.started))
    case .messageEnd(.user, _) where !prompt.isKnown:
      // Unless the server reported a lost prompt, only its acceptance is known.
      return prompt.isSuspect ? refuse(.busy, at: now) : settle(.delivered(.accepted))
    // Only a prompt that the agent has accepted is acknowledged: the error is another turn's.
    case .error where stream?.recognizesRepeats == true && !order.isNewSession: break
    case .error(let text, _, let isFatal) where message.sequence != nil || isFatal:
      guard ServerRefusal(words: text) == .agentBusy else {
        return refuse(.agentRefused(text), at: now)
      }
      prompt.isSuspect = true
      state = .sent(prompt, .dispatched(since: now, looks: 0))
    // The agent does other work before it starts the prompt.
    case .compactionStart, .compactionEnd, .retryStart:
      state = .sent(prompt, .dispatched(since: now, looks: 0))
    case .sessionEnded, .sessionDeleted:
      return settle(prompt.isDoubtful ? .unknown(.agentGone) : .delivered(.accepted))
    default: break
    }
    return []
  }

  // MARK: - Time

  mutating func wake(at now: Moment) -> [Action] {
    switch state {
    case .opening, .starting, .settingLevel: return settle(.notSent)
    case .sent(_, .unconfirmed(.pending)): return settle(.unknown(.starting))
    case .sent(_, .unconfirmed): return settle(.unknown(.silence))
    case .sent(let prompt, .dispatched(_, let looks)):
      if prompt.isSuspect { return refuse(.busy, at: now) }
      if !order.waitsForTurn || order.limits.total.map({ $0 <= now }) == true {
        return settle(prompt.isKnown ? .unknown(.silence) : .delivered(.accepted))
      }
      state = .sent(prompt, .dispatched(since: now, looks: looks))
      return [.look(since: anchor)]
    case .sent(let prompt, .looking(let messageCount, _?))
    where prompt.until.map({ now < $0 }) ?? true:
      state = .sent(prompt, .looking(messageCount: messageCount))
      return [.look(since: stream?.subscribes == true ? nil : anchor)]
    case .sent(let prompt, .reopening(_?)) where prompt.until.map({ now < $0 }) ?? true:
      state = .sent(prompt, .reopening(nextTry: nil))
      return [.open]
    case .sent: return settle(.unknown(.lost))
    case .deleting(let verdict, _): return settle(verdict)
    case .settled: return []
    }
  }
}
