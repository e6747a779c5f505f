// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  private static let busyText = """
    Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue \
    the message.
    """

  /// Accepts a prompt; if the agent is busy or rejects it, the prompt is acknowledged and lost.
  func prompt(
    _ request: StreamRequest,
    in session: LiveSession,
    _ agent: Agent
  ) throws(StreamError) {
    let text = try text(of: request, in: session)
    guard try accept(request, in: session, agent) else { return }
    session.count(text)
    acknowledge(request, .dispatched, in: session, agent)
    let item = item(text, of: request)
    guard !agent.isBusy else {
      showPhantom(item, of: request, in: session, agent)
      emitError(Self.busyText, from: session)
      return reply(to: request, about: session)
    }
    hand(item, to: agent, in: session) { reply(to: request, about: session) }
  }

  /// If the prompt asked to be queued, shows it in the queue although it is not queued.
  private func showPhantom(
    _ item: MessageQueue.Item,
    of request: StreamRequest,
    in session: LiveSession,
    _ agent: Agent
  ) {
    guard let behaviour = request.message["streamingBehavior"].string else { return }
    agent.queue.append(item, as: behaviour == "steer" ? .steer : .followUp)
    emitQueue(session)
    agent.queue.remove(item.id)
  }

  func item(_ text: String, of request: StreamRequest) -> MessageQueue.Item {
    MessageQueue.Item(message: text, clientTurnID: request.message["clientTurnId"].string, on: loop)
  }

  /// Accepts a prompt over REST and loads the agent; returns false if that fails.
  func prompt(_ text: String, thinking: String?, in id: String) async -> Bool {
    guard let session = all[id], (try? await start(session)) != nil, let agent = session.agent
    else { return false }
    if let thinking {
      session.thinkingLevel = thinking
      choices.choose(thinkingLevel: thinking, of: session.model)
    }
    session.count(text)
    hand(MessageQueue.Item(message: text, on: loop), to: agent, in: session)
    return true
  }

  /// Queues a message behind the running turn; the history does not count it.
  func enqueue(
    _ request: StreamRequest,
    as kind: MessageQueue.Kind,
    in session: LiveSession,
    _ agent: Agent
  ) throws(StreamError) {
    guard let run = agent.run, run.isActive else {
      let name = kind == .steer ? "Steer" : "Follow-up"
      throw .refused("\(name) requires an active streaming turn")
    }
    let text = try text(of: request, in: session)
    guard try accept(request, in: session, agent) else { return }
    acknowledge(request, .dispatched, in: session, agent)
    let item = item(text, of: request)
    agent.queue.append(item, as: kind)
    run.queuedIDs.insert(item.id)
    emitQueue(session)
    reply(to: request, about: session)
    run.interruption.keep(true)
  }

  /// The text of a turn; if it is missing, the error is that of the real server.
  func text(of request: StreamRequest, in session: LiveSession) throws(StreamError) -> String {
    if dialect.hasSessionSockets { return try submittedText(of: request, in: session) }
    guard let text = request.message["message"].string else {
      throw .protocolError("Cannot read properties of undefined (reading 'length')")
    }
    return text
  }

  /// Registers a turn by ID; returns false for a repeat, which is acknowledged but not run.
  func accept(
    _ request: StreamRequest,
    in session: LiveSession,
    _ agent: Agent
  ) throws(StreamError) -> Bool {
    guard let id = request.message["clientTurnId"].string else { return true }
    switch agent.turns.register(id, payload: payload(of: request)) {
    case .conflict:
      throw .refused("clientTurnId conflict: \(id)")
    case .duplicate(let stage):
      acknowledge(request, stage, isDuplicate: true, in: session, agent)
      reply(to: request, about: session)
      return false
    case .new:
      agent.unannouncedTurns.append((id, request.type))
      acknowledge(request, .accepted, in: session, agent)
      return true
    }
  }

  /// What a repeat of a turn has in common with it.
  func payload(of request: StreamRequest) -> JSONValue {
    .object([
      "type": .string(request.type),
      "message": request.message["message"],
      "images": request.message["images"],
      "attachments": request.message["attachments"],
      "streamingBehavior": request.message["streamingBehavior"],
    ])
  }

  func acknowledge(
    _ request: StreamRequest,
    _ stage: TurnCache.Stage,
    isDuplicate: Bool = false,
    in session: LiveSession,
    _ agent: Agent
  ) {
    guard let id = request.message["clientTurnId"].string else { return }
    agent.turns.advance(id, to: stage)
    emit(
      "turn_ack",
      [
        "command": .string(request.type),
        "clientTurnId": .string(id),
        "stage": .string(stage.rawValue),
        "requestId": request.requestID,
        "duplicate": isDuplicate ? true : nil,
      ],
      from: session
    )
  }

  /// Announces the run of the oldest unannounced turn, as the real server does.
  func acknowledgeStart(in session: LiveSession, _ agent: Agent) {
    guard !agent.unannouncedTurns.isEmpty else { return }
    let (id, command) = agent.unannouncedTurns.removeFirst()
    agent.turns.advance(id, to: .started)
    emit(
      "turn_ack",
      ["command": .string(command), "clientTurnId": .string(id), "stage": "started"],
      from: session
    )
  }
}
