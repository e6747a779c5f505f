// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

extension Sessions {
  /// Passes a prompt to an idle agent, which may reject it before or after its confirmation.
  ///
  /// The run continues without the client that requested it.
  func hand(
    _ prompt: MessageQueue.Item,
    to agent: Agent,
    in session: LiveSession,
    confirm: () -> Void = {}
  ) {
    let script = Script.matching(prompt.message, manner: configuration.manner)
    guard case .refuse(let error, let isLate)? = script.steps.first else {
      confirm()
      return beginRun(script, for: prompt, in: session, agent)
    }
    if !isLate { emitError(error, from: session) }
    confirm()
    guard isLate else { return }
    later(configuration.lateRefusalDelay) { [id = session.id, number = agent.number] sessions in
      guard let session = sessions.all[id], session.agent?.number == number else { return }
      sessions.emitError(error, from: session)
    }
  }

  private func beginRun(
    _ script: Script,
    for prompt: MessageQueue.Item,
    in session: LiveSession,
    _ agent: Agent
  ) {
    agent.run?.pause?.keep(.superseded)
    agent.run = Run()
    let id = session.id
    background.start { await self.run(script, for: prompt, in: id) }
  }

  private func run(_ script: Script, for prompt: MessageQueue.Item, in id: String) async {
    guard let session = all[id], let agent = session.agent, let run = agent.run else { return }
    let turn = Turn(session: session, agent: agent, run: run)
    await perform(script, for: prompt, turn)
    run.isSettling = true
    run.ended.keep(true)
    await settle(turn)
    if agent.run === run { agent.run = nil }
    // A child session has no viewers; ending it makes room for others.
    if session.parentID != nil, turn.isAlive { await end(session) }
  }

  /// Plays a script and all messages queued behind it.
  ///
  /// If it is stopped, only the end of the run is announced, not that of the turn.
  private func perform(_ script: Script, for prompt: MessageQueue.Item, _ turn: Turn) async {
    beginAgent(turn)
    hear(prompt, turn)
    do {
      try await play(script, turn)
      while let next = turn.agent.queue.next() {
        deliver(next.item, next.kind, turn)
        let script = Script.matching(next.item.message, manner: configuration.manner)
        try await play(script, turn)
      }
      endTurn(turn)
    } catch {
      if error.place == .superseded || error.place == .pause { return }
      if error.place == .message, turn.isAlive { endPartialMessage(turn) }
    }
    if turn.isAlive { endAgent(turn) }
  }

  /// Announces a run, the first one or a retry.
  func beginAgent(_ turn: Turn) {
    if turn.run.stop == nil { turn.session.status = .busy }
    turn.session.turnStartedAt = turn.session.turnStartedAt ?? loop.timestamp
    emit("agent_start", from: turn.session)
    acknowledgeStart(in: turn.session, turn.agent)
    emitChange(turn.session)
  }

  private func endAgent(_ turn: Turn) {
    let session = turn.session
    session.turnStartedAt = nil
    emit("agent_end", from: session)
    switch turn.run.stop {
    case .session: break
    case .turn:
      emit("stop_confirmed", ["source": "user"], from: session)
      session.status = .ready
    case nil: session.status = .ready
    }
    emitChange(session)
    if let failure = turn.run.finalFailure { emitEnd(ofRetries: failure, session) }
  }

  /// Reports that nothing follows the run, unless another one has replaced it.
  private func settle(_ turn: Turn) async {
    guard dialect.hasSessionSockets, configuration.settlesTurns else { return }
    if configuration.settleDelay > .zero {
      try? await loop.sleep(until: loop.now + configuration.settleDelay)
    }
    guard turn.isAlive, turn.agent.run === turn.run else { return }
    emit("agent_settled", from: turn.session)
    announceSummary(of: turn.session)
  }

  private func hear(_ prompt: MessageQueue.Item, _ turn: Turn) {
    let text = prompt.message
    turn.run.queuedIDs.remove(prompt.id)
    recorder.record(
      .run(.init(sessionID: turn.session.id, text: text, clientTurnID: prompt.clientTurnID))
    )
    beginTurn(turn)
    turn.session.hear(text)
    emit("message_end", ["role": "user", "content": .string(text)], from: turn.session)
    emitProgress(turn.session)
  }

  private func deliver(_ item: MessageQueue.Item, _ kind: MessageQueue.Kind, _ turn: Turn) {
    if dialect.announcesQueue {
      emit(
        "queue_item_started",
        [
          "kind": .string(kind.rawValue),
          "item": item.json,
          "queueVersion": .number(turn.agent.queue.version),
        ],
        from: turn.session
      )
    }
    emitQueue(turn.session)
    hear(item, turn)
  }

  /// Plays the steps; a steering message in the queue ends them early.
  private func play(_ script: Script, _ turn: Turn) async throws(Interrupted) {
    var result: ToolResult?
    for step in script.steps {
      switch step {
      case .say(let thinking, let text, let calls):
        result = try await say(thinking: thinking, text: text, calls: calls, turn)
      case .report(let text):
        result = try await say(thinking: "", text: result.map(text) ?? "", calls: [], turn)
      case .show(let dialog):
        result = ToolResult(output: await answer(to: dialog, turn))
        try checkStop(turn)
      case .notify(let notification):
        notify(notification, turn)
      case .fail(let thinking, let error):
        try await fail(thinking: thinking, error: error, turn)
      case .retry(let error, let attempt):
        try await retry(after: error, attempt: attempt, turn)
      case .recover(let attempt):
        emit("retry_end", ["success": true, "attempt": .number(attempt)], from: turn.session)
      case .giveUp(let error, let attempt):
        turn.run.finalFailure = (error, attempt)
      case .refuse: break
      }
      if turn.agent.queue.hasSteering { return }
    }
  }
}

// MARK: - Failures

extension Sessions {
  private static let maxAttempts = 3

  func fail(thinking: String, error: String, _ turn: Turn) async throws(Interrupted) {
    beginTurn(turn)
    try await stream("thinking_delta", thinking, turn)
    emitError(error, from: turn.session)
    turn.session.say(thinking: thinking, text: "")
    endMessage("", turn)
    endTurn(turn)
  }

  /// Announces the end of the run and starts another one after a pause.
  func retry(after error: String, attempt: Int, _ turn: Turn) async throws(Interrupted) {
    emit("agent_end", from: turn.session)
    turn.session.status = .ready
    emitChange(turn.session)
    let delay = configuration.retryDelay ?? configuration.pace
    emit(
      "retry_start",
      [
        "attempt": .number(attempt),
        "maxAttempts": .number(Self.maxAttempts),
        "delayMs": .number(delay.milliseconds),
        "errorMessage": .string(error),
      ],
      from: turn.session
    )
    let pause = Promise<Run.PauseEnd>()
    turn.run.pause = pause
    let end = await wait(for: pause, atMost: delay)
    turn.run.pause = nil
    switch end {
    case .superseded: throw Interrupted(place: .superseded)
    case .aborted:
      // The end of the run was already announced.
      emitEnd(ofRetries: ("Retry cancelled", attempt), turn.session)
      throw Interrupted(place: .pause)
    case nil: try checkStop(turn)
    }
    beginAgent(turn)
  }

  func emitEnd(ofRetries failure: (error: String, attempt: Int), _ session: LiveSession) {
    emit(
      "retry_end",
      [
        "success": false,
        "attempt": .number(failure.attempt),
        "finalError": .string(failure.error),
      ],
      from: session
    )
  }
}
