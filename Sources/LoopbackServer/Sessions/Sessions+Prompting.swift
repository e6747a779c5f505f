// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  private static let busyText = """
    Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue \
    the message.
    """

  /// Takes a prompt; one that comes while the agent is busy is acknowledged and lost, and so is one
  /// that the agent refuses.
  func prompt(
    _ request: StreamRequest,
    in session: LiveSession,
    _ agent: Agent
  ) throws(StreamError) {
    let text = try text(of: request)
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

  /// Shows a prompt in the queue that is not in it, where it asked to be queued.
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

  private func item(_ text: String, of request: StreamRequest) -> MessageQueue.Item {
    MessageQueue.Item(message: text, clientTurnID: request.message["clientTurnId"].string, on: loop)
  }

  /// Takes a prompt over REST, loading the agent; false where that fails.
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

  /// Queues a message behind the running turn, which does not count it.
  func enqueue(
    _ request: StreamRequest,
    as kind: MessageQueue.Kind,
    in session: LiveSession,
    _ agent: Agent
  ) throws(StreamError) {
    guard let run = agent.run, run.stop == nil, run.pause == nil else {
      let name = kind == .steer ? "Steer" : "Follow-up"
      throw .refused("\(name) requires an active streaming turn")
    }
    let text = try text(of: request)
    guard try accept(request, in: session, agent) else { return }
    acknowledge(request, .dispatched, in: session, agent)
    let item = item(text, of: request)
    agent.queue.append(item, as: kind)
    run.queuedIDs.insert(item.id)
    emitQueue(session)
    reply(to: request, about: session)
    run.interruption.keep(true)
  }

  /// The text of a turn; without one the real server stumbles in these words.
  private func text(of request: StreamRequest) throws(StreamError) -> String {
    guard let text = request.message["message"].string else {
      throw .protocolError("Cannot read properties of undefined (reading 'length')")
    }
    return text
  }

  /// Recognises a turn by its id; false where it is a repeat, which is answered and not run.
  private func accept(
    _ request: StreamRequest,
    in session: LiveSession,
    _ agent: Agent
  ) throws(StreamError) -> Bool {
    guard let id = request.message["clientTurnId"].string else { return true }
    let payload = JSONValue.object([
      "type": .string(request.type),
      "message": request.message["message"],
      "images": request.message["images"],
      "streamingBehavior": request.message["streamingBehavior"],
    ])
    switch agent.turns.register(id, payload: payload) {
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

  private func acknowledge(
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

  /// Tells that a run has begun, for the oldest turn that was not told yet, as the real server does.
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
