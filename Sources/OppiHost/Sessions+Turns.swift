// SPDX-License-Identifier: MIT

package import OppiText

// MARK: - Runs

extension Sessions {
  /// Passes a prompt to an idle agent, which may reject it before or after its confirmation.
  ///
  /// The run continues without the client that requested it.
  package func hand(
    _ prompt: MessageQueue.Item,
    to agent: LoadedAgent,
    confirm: () -> Void = {}
  ) {
    let session = agent.session
    let refusal = self.agent.refusal(of: prompt.message)
    if let refusal, refusal.delay == nil { emitError(refusal.error, from: session) }
    confirm()
    guard let refusal else {
      agent.run?.pause?.keep(.superseded)
      agent.run = Run()
      background.start { [id = session.id] in await self.run(prompt, in: id) }
      return
    }
    guard let delay = refusal.delay else { return }
    later(delay) { [id = session.id, number = agent.number] sessions in
      guard let session = sessions.all[id], session.agent?.number == number else { return }
      sessions.emitError(refusal.error, from: session)
    }
  }

  private func run(_ prompt: MessageQueue.Item, in id: String) async {
    guard let session = all[id], let agent = session.agent, let run = agent.run else { return }
    let turn = AgentTurn(session: session, agent: agent, run: run)
    await perform(prompt, turn)
    run.isSettling = true
    run.ended.keep(true)
    if await variant.settles(), turn.isAlive, agent.run === run {
      emit("agent_settled", from: session)
      announceSummary(of: session)
    }
    if agent.run === run { agent.run = nil }
    // A child session has no viewers; ending it makes room for others.
    if session.parentID != nil, turn.isAlive { await end(session) }
  }

  /// Answers a prompt and all messages queued behind it.
  ///
  /// If the run is stopped, only its end is announced, not that of the turn.
  private func perform(_ prompt: MessageQueue.Item, _ turn: AgentTurn) async {
    beginAgent(turn)
    receive(prompt, turn)
    do {
      try await agent.answer(prompt.message, turn, in: self)
      while let next = turn.agent.queue.next() {
        let members: JSONObject = [
          "kind": .string(next.kind.rawValue), "item": next.item.json,
          "queueVersion": .number(turn.agent.queue.version),
        ]
        emit("queue_item_started", members, from: turn.session)
        emitQueue(turn.session)
        receive(next.item, turn)
        try await agent.answer(next.item.message, turn, in: self)
      }
    } catch {
      guard !error.isAnnounced else { return }
      let message = turn.run.partialMessage
      if turn.isAlive { endMessage(thinking: message.thinking, text: message.text, turn) }
    }
    if turn.isAlive { endAgent(turn) }
  }

  /// Announces a run, the first one or a retry.
  private func beginAgent(_ turn: AgentTurn) {
    if turn.run.stop == nil { turn.session.status = .busy }
    emit("agent_start", from: turn.session)
    acknowledgeStart(by: turn.agent)
    emitChange(turn.session)
  }

  private func endAgent(_ turn: AgentTurn) {
    let session = turn.session
    emit("agent_end", from: session)
    if turn.run.stop == .turn { emit("stop_confirmed", ["source": "user"], from: session) }
    if turn.run.stop != .session { session.status = .ready }
    emitChange(session)
    if let (error, attempt) = turn.run.finalFailure {
      emitEnd(ofRetries: attempt, error: error, session)
    }
  }

  private func receive(_ prompt: MessageQueue.Item, _ turn: AgentTurn) {
    turn.run.queuedIDs.remove(prompt.id)
    variant.didHear?(prompt, turn)
    turn.session.record.receive(prompt.message, on: loop)
    let members: JSONObject = ["role": "user", "content": .string(prompt.message)]
    emit("message_end", members, from: turn.session)
  }
}

// MARK: - What an agent does in a turn

extension Sessions {
  private static let deltaLength = 14

  /// Pauses between two events of an agent; throws if the run is stopped.
  func pause(_ turn: AgentTurn) async throws(Interrupted) {
    if configuration.pace > .zero {
      _ = await wait(for: turn.run.abortion, atMost: configuration.pace)
    } else {
      await Task.yield()
    }
    try checkStop(turn)
  }

  func checkStop(_ turn: AgentTurn) throws(Interrupted) {
    if turn.run.isAborted || !turn.isAlive || Task.isCancelled { throw Interrupted() }
  }

  /// Sends a message and makes its calls; returns the result of the last one.
  @discardableResult
  func say(
    thinking: String = "",
    text: String = "",
    calls: [AgentCall] = [],
    _ turn: AgentTurn
  ) async throws(Interrupted) -> ToolResult? {
    let calls = calls.map { (id: "toolu_\(loop.makeID(.long))", call: $0) }
    try await stream("thinking_delta", thinking, turn)
    try await stream("text_delta", text, turn)
    for call in calls { try await streamArguments(of: call, turn) }
    endMessage(thinking: thinking, text: text, calls: calls, turn)
    let result = try await make(calls, turn)
    if !calls.isEmpty { try checkStop(turn) }
    return result
  }

  /// Sends a text in pieces; `type` is the type of the events.
  private func stream(_ type: String, _ text: String, _ turn: AgentTurn) async throws(Interrupted) {
    var rest = text[...]
    while !rest.isEmpty {
      try await pause(turn)
      let delta = String(rest.prefix(Self.deltaLength))
      emit(type, ["delta": .string(delta)], from: turn.session)
      if type == "text_delta" {
        turn.run.partialMessage.text += delta
      } else {
        turn.run.partialMessage.thinking += delta
      }
      rest = rest.dropFirst(Self.deltaLength)
    }
  }

  private func endMessage(
    thinking: String,
    text: String,
    calls: [IdentifiedCall] = [],
    _ turn: AgentTurn
  ) {
    turn.session.record.say(thinking: thinking, text: text, calls: calls, on: loop)
    turn.run.partialMessage = ("", "")
    emit("message_end", ["role": "assistant", "content": .string(text)], from: turn.session)
    emitState(turn.session)
  }

  /// Announces a call, and its growing arguments; each event replaces the previous one.
  private func streamArguments(of call: IdentifiedCall, _ turn: AgentTurn) async throws(Interrupted)
  {
    for (index, arguments) in [[:], [:], call.call.arguments].enumerated() {
      try await pause(turn)
      emitCall(index == 0 ? "tool_start" : "tool_update", call, arguments, turn)
    }
  }

  package func emitCall(
    _ type: String,
    _ call: IdentifiedCall,
    _ arguments: JSONValue,
    _ turn: AgentTurn
  ) {
    emit(
      type,
      [
        "tool": .string(call.call.tool),
        "args": arguments,
        "toolCallId": .string(call.id),
      ],
      from: turn.session
    )
  }

  /// Sends a part of a call's output.
  func emitOutput(
    _ output: String,
    of call: IdentifiedCall,
    _ turn: AgentTurn,
    _ members: JSONObject = [:]
  ) {
    let common: JSONObject = ["output": .string(output), "toolCallId": .string(call.id)]
    emit("tool_output", common.adding(members), from: turn.session)
  }

  /// Waits until a message is queued behind the run, the tool is released, or the run is stopped.
  func waitForInterruption(_ turn: AgentTurn) async throws(Interrupted) {
    if turn.run.queuedIDs.isEmpty, !turn.run.isAborted {
      turn.run.interruption = Promise()
      _ = await turn.run.interruption.value()
    }
    try checkStop(turn)
  }

  /// Starts a child session with a prompt; returns it, or why it could not start.
  func spawn(
    _ prompt: String,
    name: String,
    from parent: LiveSession
  ) async throws(Refusal) -> LiveSession {
    let child = makeSession(in: parent.workspace, name: name, parentID: parent.id)
    announceCreation(of: child)
    try await start(child)
    variant.didChange?(child, parent, self)
    child.record.count(prompt, on: loop)
    variant.didChange?(child, parent, self)
    return child
  }
}

// MARK: - Failures

extension Sessions {
  private static let maxAttempts = 3

  /// Fails in place of a message.
  func fail(thinking: String, error: String, _ turn: AgentTurn) async throws(Interrupted) {
    try await stream("thinking_delta", thinking, turn)
    emitError(error, from: turn.session)
    endMessage(thinking: thinking, text: "", turn)
  }

  /// Announces the end of the run and starts another one after a pause.
  func retry(
    after error: String,
    attempt: Int,
    pause duration: Duration,
    _ turn: AgentTurn
  ) async throws(Interrupted) {
    emit("agent_end", from: turn.session)
    turn.session.status = .ready
    emitChange(turn.session)
    emit(
      "retry_start",
      [
        "attempt": .number(attempt),
        "maxAttempts": .number(Self.maxAttempts),
        "delayMs": .number(duration.milliseconds),
        "errorMessage": .string(error),
      ],
      from: turn.session
    )
    let pause = Promise<Run.PauseEnd>()
    turn.run.pause = pause
    let end = await wait(for: pause, atMost: duration)
    turn.run.pause = nil
    switch end {
    case .superseded: throw Interrupted(isAnnounced: true)
    case .aborted:
      emitEnd(ofRetries: attempt, error: "Retry cancelled", turn.session)
      throw Interrupted(isAnnounced: true)
    case nil: try checkStop(turn)
    }
    beginAgent(turn)
  }

  /// Reports that a retry succeeded, or that the last one failed or was cancelled.
  func emitEnd(ofRetries attempt: Int, error: String? = nil, _ session: LiveSession) {
    emit(
      "retry_end",
      [
        "success": .bool(error == nil),
        "attempt": .number(attempt),
        "finalError": error.map(JSONValue.string),
      ],
      from: session
    )
  }
}

// MARK: - Calls

extension Sessions {
  /// Makes parallel calls; returns the result of the last one.
  private func make(
    _ calls: [IdentifiedCall],
    _ turn: AgentTurn
  ) async throws(Interrupted) -> ToolResult? {
    variant.willMake?(calls, turn, self)
    let gates = calls.map { call in call.call.gate.map { raise($0, in: turn.agent) } }
    var results: [ToolResult] = []
    do {
      for (call, gate) in zip(calls, gates) {
        results.append(try await result(of: call, behind: gate, turn))
      }
    } catch {
      guard turn.isAlive else { throw error }
      let aborted = ToolResult(output: "\n\nCommand aborted", isError: true)
      for call in calls {
        emitOutput(aborted.output, of: call, turn)
        end(call, with: aborted, turn)
      }
      throw error
    }
    for (call, result) in zip(calls, results) { end(call, with: result, turn) }
    return results.last
  }

  private func end(_ call: IdentifiedCall, with result: ToolResult, _ turn: AgentTurn) {
    turn.session.record.take(result, of: call, on: loop)
    emit(
      "tool_end",
      [
        "tool": .string(call.call.tool),
        "toolCallId": .string(call.id),
        "details": result.details ?? (result.isError ? [:] : nil),
        "isError": result.isError ? true : nil,
      ],
      from: turn.session
    )
  }

  private func result(
    of call: IdentifiedCall,
    behind gate: PendingQuestion?,
    _ turn: AgentTurn
  ) async throws(Interrupted) -> ToolResult {
    if let gate {
      let response = await gate.response
      // Anything but "Yes" blocks the call.
      if response["cancelled"] == true || response["value"] != "Yes" {
        try checkStop(turn)
        let blocked = ToolResult(output: "Blocked by user", isError: true)
        emitOutput(blocked.output, of: call, turn)
        return blocked
      }
    }
    if let reason = await variant.denial?(call.call, turn, self) {
      guard turn.isAlive else { throw Interrupted() }
      emitOutput(reason, of: call, turn)
      return ToolResult(output: reason, isError: true)
    }
    return try await call.call.work(call, turn, self)
  }
}
