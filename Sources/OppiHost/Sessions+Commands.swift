// SPDX-License-Identifier: MIT

package import OppiText
import Synchronization

extension Sessions {
  /// What clients can ask a session to do.
  package static let commands: Set = [
    "prompt", "steer", "follow_up", "get_queue", "get_state", "get_commands", "set_model",
    "set_thinking_level", "set_session_name", "stop", "abort_retry", "extension_ui_response",
  ]

  /// The commands of the scripted agent.
  private static let agentCommands: JSONValue = [
    ["name": "review", "description": "Review the changes", "source": "prompt"],
    ["name": "skill:commit", "description": "Commit the changes", "source": "skill"],
  ]

  /// Handles a message of a client to a session.
  package func perform(
    _ request: ClientRequest,
    in session: LiveSession
  ) async throws(StreamError) {
    guard Self.commands.contains(request.type) else {
      throw .unsupported("Unsupported command type: \(request.type)")
    }
    guard let agent = session.agent else { return try performUnloaded(request, in: session) }
    if try variant.perform?(request, agent, self) == true { return }
    switch request.type {
    case "prompt": try submit(request, to: agent)
    case "steer": try enqueue(request, as: .steer, behind: agent)
    case "follow_up": try enqueue(request, as: .followUp, behind: agent)
    case "get_queue":
      emitQueue(session)
      reply(to: request, agent.queue.json, about: session)
    case "get_state": request.outlet(["type": "state", "session": json(session)], session.id)
    case "get_commands": broadcast(request, ["commands": Self.agentCommands], of: session)
    case "set_model": try setModel(request, of: session)
    case "set_thinking_level": setThinkingLevel(request, of: session)
    case "set_session_name":
      session.name = request.message["name"].string ?? session.name
      broadcast(request, ["name": request.message["name"]], of: session)
      emitChange(session)
    case "stop": stop(request, agent)
    case "abort_retry": await abortRetry(request, agent)
    default: try answerQuestion(request, in: session)
    }
  }

  private func performUnloaded(
    _ request: ClientRequest,
    in session: LiveSession
  ) throws(StreamError) {
    switch request.type {
    case "stop": reply(to: request, about: session)
    case "get_state" where !request.isREST: break
    case "extension_ui_response": try answerQuestion(request, in: session)
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

  package func setThinkingLevel(_ request: ClientRequest, of session: LiveSession) {
    let level = request.message["level"].string ?? ""
    session.thinkingLevel = level
    broadcast(request, ["level": .string(level)], of: session)
    emitState(session)
  }

  package func setModel(_ request: ClientRequest, of session: LiveSession) throws(StreamError) {
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
  private func submit(_ request: ClientRequest, to agent: LoadedAgent) throws(StreamError) {
    let session = agent.session
    let text = try text(of: request, in: session)
    if request.turnID.map({ agent.turns[$0] == nil }) ?? true {
      if agent.isBusy {
        guard let behaviour = request.message["streamingBehavior"].string else {
          throw .refused(Self.busyText)
        }
        let kind: MessageQueue.Kind = behaviour == "steer" ? .steer : .followUp
        return try enqueue(request, as: kind, behind: agent)
      }
      if let error = promptError(text) { throw .refused(error) }
    }
    guard try accept(request, by: agent) else { return }
    session.record.count(text, on: loop)
    hand(item(text, of: request), to: agent) { reply(to: request, about: session) }
  }

  /// Why the agent refuses a prompt at once; `nil` if it does not.
  func promptError(_ prompt: String) -> String? {
    agent.refusal(of: prompt).flatMap { $0.delay == nil ? $0.error : nil }
  }

  package func item(_ text: String, of request: ClientRequest) -> MessageQueue.Item {
    MessageQueue.Item(message: text, clientTurnID: request.turnID, on: loop)
  }

  /// Queues a message behind the running turn; the history does not count it.
  package func enqueue(
    _ request: ClientRequest,
    as kind: MessageQueue.Kind,
    behind agent: LoadedAgent
  ) throws(StreamError) {
    let session = agent.session
    guard let run = agent.run, run.isActive else {
      let name = kind == .steer ? "Steer" : "Follow-up"
      throw .refused("\(name) requires an active streaming turn")
    }
    let text = try text(of: request, in: session)
    guard try accept(request, by: agent) else { return }
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
    return try text + attach(request.message["attachments"], turn: request.turnID, in: session)
  }
}

// MARK: - The turns of clients

extension Sessions {
  /// Registers and acknowledges a turn; returns false for a repeat, which is not run.
  package func accept(_ request: ClientRequest, by agent: LoadedAgent) throws(StreamError) -> Bool {
    guard let id = request.turnID else { return true }
    // What a repeat has in common with the turn.
    let payload = JSONValue.object([
      "type": .string(request.type),
      "message": request.message["message"],
      "images": request.message["images"],
      "attachments": request.message["attachments"],
      "streamingBehavior": request.message["streamingBehavior"],
    ])
    let members: JSONObject = ["requestId": request.requestID]
    guard let known = agent.turns[id] else {
      agent.turns[id] = ClientTurn(command: request.type, payload: payload)
      agent.unannouncedTurns.append(id)
      acknowledge(id, .accepted, members, by: agent)
      acknowledge(id, .dispatched, members, by: agent)
      return true
    }
    guard known.payload == payload else { throw .refused("clientTurnId conflict: \(id)") }
    acknowledge(id, known.stage, members.adding(["duplicate": true]), by: agent)
    reply(to: request, about: agent.session)
    return false
  }

  /// Announces the run of the oldest unannounced turn, as the real server does.
  func acknowledgeStart(by agent: LoadedAgent) {
    guard !agent.unannouncedTurns.isEmpty else { return }
    acknowledge(agent.unannouncedTurns.removeFirst(), .started, by: agent)
  }

  private func acknowledge(
    _ id: String,
    _ stage: ClientTurn.Stage,
    _ members: JSONObject = [:],
    by agent: LoadedAgent
  ) {
    agent.turns[id]?.stage = stage
    let common: JSONObject = [
      "command": agent.turns[id].map { .string($0.command) },
      "clientTurnId": .string(id),
      "stage": .string(stage.rawValue),
    ]
    emit("turn_ack", common.adding(members), from: agent.session)
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
