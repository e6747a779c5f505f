// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  /// Starts a run, unless the agent refuses; it goes on without the client that asked for it.
  func beginRun(_ prompt: String, in session: LiveSession, _ agent: Agent) {
    let script = Script.matching(prompt)
    if case .refuse(let error)? = script.steps.first { return emitError(error, from: session) }
    agent.run = Run()
    let id = session.id
    background.start { await self.run(script, for: prompt, in: id) }
  }

  private func run(_ script: Script, for prompt: String, in id: String) async {
    guard let session = all[id], let agent = session.agent, let run = agent.run else { return }
    await perform(script, for: prompt, Turn(session: session, agent: agent, run: run))
    agent.run = nil
    run.ended.keep(true)
    // Nobody watches a child; it makes room for others.
    if session.parentID != nil { await end(session) }
  }

  /// Plays a script and everything that was queued behind it.
  private func perform(_ script: Script, for prompt: String, _ turn: Turn) async {
    let session = turn.session
    beginAgent(turn)
    hear(prompt, turn)
    do {
      try await play(script, turn)
      while let next = turn.agent.queue.next() {
        deliver(next.item, next.kind, turn)
        try await play(.matching(next.item.message), turn)
      }
    } catch {
      session.history.say(thinking: "", text: "", calls: [])
      endMessage("", turn)
    }
    endTurn(turn)
    emit("agent_end", from: session)
    switch turn.run.stop {
    case .session: break
    case .turn:
      emit("stop_confirmed", ["source": "user"], from: session)
      session.status = .ready
    case nil: session.status = .ready
    }
    emitState(session)
  }

  /// Tells that a run begins, the first or another after a failure.
  private func beginAgent(_ turn: Turn) {
    if turn.run.stop == nil { turn.session.status = .busy }
    emit("agent_start", from: turn.session)
    acknowledgeStart(in: turn.session, turn.agent)
    emitState(turn.session)
  }

  /// Takes a message of the user into the conversation.
  private func hear(_ prompt: String, _ turn: Turn) {
    beginTurn(turn)
    turn.session.history.begin(prompt: prompt)
    emit("message_end", ["role": "user", "content": .string(prompt)], from: turn.session)
    emitState(turn.session)
  }

  private func deliver(_ item: MessageQueue.Item, _ kind: MessageQueue.Kind, _ turn: Turn) {
    if isCurrent {
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
    hear(item.message, turn)
  }

  /// Plays the steps; what was queued to steer the run ends them early.
  private func play(_ script: Script, _ turn: Turn) async throws(Interrupted) {
    var result: ToolResult?
    for step in script.steps {
      switch step {
      case .say(let thinking, let text, let calls):
        result = try await say(thinking: thinking, text: text, calls: calls, turn)
      case .report(let text):
        result = try await say(thinking: "", text: result.map(text) ?? "", calls: [], turn)
      case .fail(let thinking, let error):
        try await fail(thinking: thinking, error: error, turn)
      case .retry(let error):
        try await retry(after: error, turn)
      case .recover:
        emit("retry_end", ["success": true, "attempt": 1], from: turn.session)
      case .refuse: break
      }
      if turn.agent.queue.hasSteering { return }
    }
  }

  private func fail(thinking: String, error: String, _ turn: Turn) async throws(Interrupted) {
    try await stream("thinking_delta", thinking, turn)
    emitError(error, from: turn.session)
    turn.session.history.say(thinking: thinking, text: "", calls: [])
    endMessage("", turn)
    endTurn(turn)
  }

  private func retry(after error: String, _ turn: Turn) async throws(Interrupted) {
    emit("agent_end", from: turn.session)
    turn.session.status = .ready
    emitState(turn.session)
    emit(
      "retry_start",
      [
        "attempt": 1,
        "maxAttempts": 3,
        "delayMs": .number(configuration.pace.milliseconds),
        "errorMessage": .string(error),
      ],
      from: turn.session
    )
    try await pause(turn)
    beginAgent(turn)
  }

  // MARK: - Turns of older servers

  func beginTurn(_ turn: Turn) {
    guard !isCurrent, !turn.run.isInTurn else { return }
    turn.run.isInTurn = true
    emit("turn_start", from: turn.session)
  }

  func endTurn(_ turn: Turn) {
    guard turn.run.isInTurn else { return }
    turn.run.isInTurn = false
    emit("turn_end", from: turn.session)
  }
}
