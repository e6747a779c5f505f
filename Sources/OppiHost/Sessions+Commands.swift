// SPDX-License-Identifier: MIT

package import OppiModel
import Synchronization

extension Sessions {
  package typealias Command =
    @Sendable (isolated Sessions, ClientRequest, LiveSession, LoadedAgent) async throws(StreamError)
    -> Void

  package static let commands: [String: Command] = [
    "prompt": { sessions, request, session, agent throws(StreamError) in
      try sessions.submit(request, in: session, agent)
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
    "get_state": { sessions, request, session, _ in
      let state: JSONValue = ["type": "state", "session": sessions.json(session)]
      request.outlet(state, session.id)
    },
    "set_model": { sessions, request, session, _ throws(StreamError) in
      try sessions.setModel(request, of: session)
    },
    "set_thinking_level": { sessions, request, session, _ in
      sessions.setThinkingLevel(request, of: session)
    },
    "set_session_name": { sessions, request, session, _ in
      session.name = request.message["name"].string ?? session.name
      sessions.broadcast(request, ["name": request.message["name"]], of: session)
      sessions.emitChange(session)
    },
    "stop": { sessions, request, session, agent in sessions.stop(request, in: session, agent) },
    "abort_retry": { sessions, request, session, agent in
      await sessions.abortRetry(request, in: session, agent)
    },
    "extension_ui_response": { sessions, request, session, agent throws(StreamError) in
      try sessions.answerQuestion(request, of: agent, in: session)
    },
  ]

  /// Handles a message of a client to a session.
  package func perform(
    _ request: ClientRequest,
    in session: LiveSession
  ) async throws(StreamError) {
    guard let command = commands[request.type] else {
      throw .unsupported("Unsupported command type: \(request.type)")
    }
    guard let agent = session.agent else { return try performUnloaded(request, in: session) }
    try await command(self, request, session, agent)
  }

  private func performUnloaded(
    _ request: ClientRequest,
    in session: LiveSession
  ) throws(StreamError) {
    switch request.type {
    case "stop": reply(to: request, about: session)
    case "get_state" where !request.isREST: break
    case "extension_ui_response": try answerQuestion(request, of: nil, in: session)
    case "set_model": try setModel(request, of: session)
    default: throw .refused("Session not active: \(session.id)")
    }
  }

  /// Handles a message to the session of a socket, or of the path of a request.
  func handle(_ request: ClientRequest, of id: String) async throws(StreamError) {
    guard let session = all[id] else { throw .refused("Session not active: \(id)") }
    if let target = request.message["sessionId"].string, target != id {
      throw .foreignSession(id: target)
    }
    try await perform(request, in: session)
  }

  /// Responds to the sender if it requested a response.
  package func reply(
    to request: ClientRequest,
    _ data: JSONValue? = nil,
    about session: LiveSession
  ) {
    if request.requestID != nil { request.outlet(request.result(data), session.id) }
  }

  /// Responds to all viewers of the session if a response was requested.
  func broadcast(_ request: ClientRequest, _ data: JSONValue, of session: LiveSession) {
    guard request.requestID != nil else { return }
    let result = request.result(data)
    if request.isREST || session.agent == nil { request.outlet(result, session.id) }
    emit("command_result", result.object ?? [:], from: session)
  }

  private func setThinkingLevel(_ request: ClientRequest, of session: LiveSession) {
    let level = request.message["level"].string ?? ""
    session.thinkingLevel = level
    broadcast(request, ["level": .string(level)], of: session)
    emitState(session)
  }

  private func setModel(_ request: ClientRequest, of session: LiveSession) throws(StreamError) {
    let id = request.message["model"].string ?? ""
    guard let model = Model.named(id) else { throw .refused("Unknown model: \(id)") }
    session.model = id
    if session.agent == nil, session.status == .error { session.status = .stopped }
    let data: JSONValue = [
      "success": true,
      "provider": .string(model.provider),
      "id": .string(model.modelID),
      "name": .string(model.name),
    ]
    broadcast(request, data, of: session)
    emitState(session)
  }
}

// MARK: - Prompts

extension Sessions {
  private static let busyText =
    "Prompt requires an idle session; use steer or follow_up while a turn is streaming"
  static let imagesText =
    "Raw base64 image transport is not supported; upload images as chat attachments first"

  /// Accepts a prompt, queues it if the agent is busy and the prompt says how, or refuses it.
  ///
  /// A refused prompt leaves nothing behind.
  private func submit(
    _ request: ClientRequest,
    in session: LiveSession,
    _ agent: LoadedAgent
  ) throws(StreamError) {
    let text = try text(of: request, in: session)
    if isNew(request, agent) {
      if agent.isBusy {
        guard let behaviour = request.message["streamingBehavior"].string else {
          throw .refused(Self.busyText)
        }
        let kind: MessageQueue.Kind = behaviour == "steer" ? .steer : .followUp
        return try enqueue(request, as: kind, in: session, agent)
      }
      if let error = promptError(text) { throw .refused(error) }
    }
    guard try accept(request, in: session, agent) else { return }
    session.record.count(text, on: loop)
    acknowledge(request, .dispatched, in: session, agent)
    hand(item(text, of: request), to: agent, in: session) { reply(to: request, about: session) }
  }

  /// Why the agent refuses a prompt at once; `nil` if it does not.
  func promptError(_ prompt: String) -> String? {
    agent.refusal(of: prompt).flatMap { $0.delay == nil ? $0.error : nil }
  }

  package func item(_ text: String, of request: ClientRequest) -> MessageQueue.Item {
    MessageQueue.Item(message: text, clientTurnID: request.message["clientTurnId"].string, on: loop)
  }

  /// Queues a message behind the running turn; the history does not count it.
  package func enqueue(
    _ request: ClientRequest,
    as kind: MessageQueue.Kind,
    in session: LiveSession,
    _ agent: LoadedAgent
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

  /// The text of a turn, followed by the list of its attachments.
  private func text(of request: ClientRequest, in session: LiveSession) throws(StreamError)
    -> String
  {
    guard let text = request.message["message"].string else {
      throw .invalid("Invalid payload: expected message")
    }
    if request.message["images"] != .null { throw .refused(Self.imagesText) }
    let files = try attach(
      request.message["attachments"],
      turn: request.message["clientTurnId"].string,
      in: session
    )
    return text + files
  }
}

// MARK: - The turns of clients

extension Sessions {
  private func isNew(_ request: ClientRequest, _ agent: LoadedAgent) -> Bool {
    request.message["clientTurnId"].string.map {
      agent.turns.verdict(on: $0, payload: payload(of: request)) == .new
    } ?? true
  }

  /// Registers a turn by ID; returns false for a repeat, which is acknowledged but not run.
  package func accept(
    _ request: ClientRequest,
    in session: LiveSession,
    _ agent: LoadedAgent
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
  private func payload(of request: ClientRequest) -> JSONValue {
    .object([
      "type": .string(request.type),
      "message": request.message["message"],
      "images": request.message["images"],
      "attachments": request.message["attachments"],
      "streamingBehavior": request.message["streamingBehavior"],
    ])
  }

  package func acknowledge(
    _ request: ClientRequest,
    _ stage: TurnCache.Stage,
    isDuplicate: Bool = false,
    in session: LiveSession,
    _ agent: LoadedAgent
  ) {
    guard let id = request.message["clientTurnId"].string else { return }
    let members: JSONObject = [
      "requestId": request.requestID, "duplicate": isDuplicate ? true : nil,
    ]
    acknowledge((id, request.type), stage, members, in: session, agent)
  }

  /// Announces the run of the oldest unannounced turn, as the real server does.
  func acknowledgeStart(in session: LiveSession, _ agent: LoadedAgent) {
    guard !agent.unannouncedTurns.isEmpty else { return }
    acknowledge(agent.unannouncedTurns.removeFirst(), .started, [:], in: session, agent)
  }

  private func acknowledge(
    _ turn: (id: String, command: String),
    _ stage: TurnCache.Stage,
    _ members: JSONObject,
    in session: LiveSession,
    _ agent: LoadedAgent
  ) {
    agent.turns.advance(turn.id, to: stage)
    let common: JSONObject = [
      "command": .string(turn.command),
      "clientTurnId": .string(turn.id),
      "stage": .string(stage.rawValue),
    ]
    emit("turn_ack", common.adding(members), from: session)
  }
}

// MARK: - Commands over REST

extension Sessions {
  /// Handles a message of a client as a socket would; returns what the socket would have been sent.
  package func command(
    _ message: JSONValue,
    of session: LiveSession
  ) async throws(Refusal) -> JSONValue {
    guard message.object != nil else { throw Refusal(400, "Command body must be an object") }
    guard let type = message["type"].string, !type.isEmpty else {
      throw Refusal(400, "Command type required")
    }
    let collected = Collector(session.id)
    let request = ClientRequest(
      outlet: { message, _ in collected.add(message) },
      isREST: true,
      type: type,
      message: message
    )
    do throws(StreamError) {
      try await handle(request, of: session.id)
    } catch {
      switch error {
      case .invalid(let text): throw Refusal(400, text)
      case .refused(let text) where request.requestID == nil: throw Refusal(500, text)
      default: request.fail(with: error)
      }
    }
    return ["messages": .array(collected.messages)]
  }
}

/// The messages that a command over REST is sent.
private final class Collector: Sendable {
  private let sessionID: String
  private let collected = Mutex<[JSONValue]>([])

  init(_ sessionID: String) { self.sessionID = sessionID }

  var messages: [JSONValue] { collected.withLock(\.self) }

  func add(_ message: JSONValue) {
    collected.withLock { $0.append(message.adding(["sessionId": .string(sessionID)])) }
  }
}
