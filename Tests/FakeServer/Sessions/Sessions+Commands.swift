// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  typealias Command =
    @Sendable (isolated Sessions, StreamRequest, LiveSession, Agent) async throws(StreamError)
    -> Void

  static let commands: [String: Command] = [
    "prompt": { sessions, request, session, agent throws(StreamError) in
      if sessions.dialect.acknowledgesEarly {
        try sessions.prompt(request, in: session, agent)
      } else {
        try sessions.submit(request, in: session, agent)
      }
    },
    "steer": { sessions, request, session, agent throws(StreamError) in
      try sessions.enqueue(request, as: .steer, in: session, agent)
    },
    "follow_up": { sessions, request, session, agent throws(StreamError) in
      try sessions.enqueue(request, as: .followUp, in: session, agent)
    },
    "get_queue": { sessions, request, session, agent in
      sessions.emitQueue(session)
      sessions.reply(to: request, agent.queue.json, about: session)
    },
    "get_state": { sessions, request, session, _ in sessions.sendState(request, session) },
    "set_model": { sessions, request, session, _ throws(StreamError) in
      try sessions.setModel(request, of: session)
    },
    "set_thinking_level": { sessions, request, session, _ in
      sessions.setThinkingLevel(request, of: session)
    },
    "set_session_name": { sessions, request, session, _ in
      session.name = request.message["name"].string ?? session.name
      sessions.announce(request, ["name": request.message["name"]], of: session, isRename: true)
    },
    "stop": { sessions, request, session, agent in
      sessions.stop(request, in: session, agent)
    },
    "abort": { sessions, request, session, agent in
      sessions.stop(request, in: session, agent)
    },
    "abort_retry": { sessions, request, session, agent in
      await sessions.abortRetry(request, in: session, agent)
    },
    "stop_session": { sessions, request, session, _ in
      await sessions.end(session)
      sessions.reply(to: request, about: session)
    },
    "extension_ui_response": { sessions, request, session, agent throws(StreamError) in
      try sessions.answerQuestion(request, of: agent, in: session)
    },
  ]

  func perform(_ request: StreamRequest, in session: LiveSession) async throws(StreamError) {
    let later = dialect.hasSessionSockets ? Self.laterCommands[request.type] : nil
    guard let command = later ?? Self.commands[request.type] else {
      let text = "Unsupported command type: \(request.type)"
      throw dialect.hasSessionSockets ? .unsupported(text) : .refused(text)
    }
    guard let agent = session.agent else { return try performUnloaded(request, in: session) }
    try await command(self, request, session, agent)
  }

  private func performUnloaded(
    _ request: StreamRequest,
    in session: LiveSession
  ) throws(StreamError) {
    switch request.type {
    case "stop", "abort", "stop_session": return reply(to: request, about: session)
    case "get_state" where streams[request.stream]?.kind.isCommand != true: return
    case "extension_ui_response" where dialect.hasSessionSockets:
      throw .questionNotFound(id: request.message["id"].string ?? "undefined")
    case "set_model" where dialect.hasSessionSockets: try setModel(request, of: session)
    default: throw .refused("Session not active: \(session.id)")
    }
  }

  /// Sends the session's state, on later servers only to the sender.
  private func sendState(_ request: StreamRequest, _ session: LiveSession) {
    guard dialect.hasSessionSockets, let stream = streams[request.stream] else {
      return emitState(session)
    }
    stream.send(["type": "state", "session": json(session)], about: session.id)
  }

  /// Responds to the sender if it requested a response.
  func reply(to request: StreamRequest, _ data: JSONValue? = nil, about session: LiveSession) {
    guard request.requestID != nil, let stream = streams[request.stream] else { return }
    stream.send(request.result(data), about: session.id)
  }

  /// Responds to all subscribers of the session and sends its new state.
  private func announce(
    _ request: StreamRequest,
    _ data: JSONValue,
    of session: LiveSession,
    isRename: Bool = false
  ) {
    broadcast(request, data, of: session)
    if isRename { emitChange(session) } else { emitState(session) }
    writeLater(session)
  }

  /// Responds to all subscribers of the session if a response was requested.
  func broadcast(_ request: StreamRequest, _ data: JSONValue, of session: LiveSession) {
    guard request.requestID != nil else { return }
    let result = request.result(data)
    if let stream = streams[request.stream], stream.kind.isCommand || session.agent == nil {
      stream.send(result, about: session.id)
    }
    emit("command_result", result.object ?? [:], from: session)
  }

  private func setThinkingLevel(_ request: StreamRequest, of session: LiveSession) {
    let level = request.message["level"].string ?? ""
    session.thinkingLevel = level
    if dialect.remembersChoices || request.message["persist"] == true {
      choices.choose(thinkingLevel: level, of: session.model)
    }
    announce(request, ["level": .string(level)], of: session)
  }

  private func setModel(
    _ request: StreamRequest,
    of session: LiveSession
  ) throws(StreamError) {
    let message = request.message
    let id: String
    if let model = message["model"].string {
      id = model
    } else if let provider = message["provider"].string, let model = message["modelId"].string {
      id = "\(provider)/\(model)"
    } else {
      throw .refused("Invalid set_model payload: expected model or provider+modelId")
    }
    guard let model = Model.named(id) else { throw .refused("Unknown model: \(id)") }
    session.model = id
    if session.agent == nil, session.status == .error { session.status = .stopped }
    if dialect.remembersChoices {
      choices.choose(model: id, in: session.workspace.id)
    } else if request.message["persist"] == true {
      choices.choose(model: id, in: LastChoices.everywhere)
    }
    let data: JSONValue = [
      "success": true,
      "provider": .string(model.provider),
      "id": .string(model.modelID),
      "name": .string(model.name),
    ]
    announce(request, data, of: session)
  }
}
