// SPDX-License-Identifier: MIT

import EventLoop
import OppiHost
import OppiText
import OppiWire
import Synchronization

/// The behaviour of servers of older dialects, and the faults of agents, at the places where a host
/// asks for it.
final class FakeVariant: Sendable {
  /// What another server that starts from the remains knows, too.
  struct Memory: Sendable {
    var approvedCommands: Set<String> = []
    /// The last model of each workspace, by ID.
    var models: [String: String] = [:]
    /// The last thinking level of each model.
    var thinkingLevels: [String: String] = [:]
  }

  struct State: Sendable {
    var memory: Memory
    var permissions: PermissionDesk
    var audit: [JSONValue] = []
    /// The end of the latest start in each workspace, which the next one waits for.
    var starts: [String: Promise<Bool>] = [:]
    var streams = OlderStreams()
    /// The records of sessions as last written, by ID, on servers that show them.
    var written: [String: SessionRecord] = [:]
    /// The sessions that are written after a while.
    var dueWrites: Set<String> = []
    /// The last counted ID.
    var lastID = 0
  }

  let configuration: FakeServer.Configuration
  let recorder: Recorder
  let loop: EventLoop
  let state: Mutex<State>

  init(
    _ configuration: FakeServer.Configuration,
    _ recorder: Recorder,
    _ memory: Memory,
    on loop: EventLoop
  ) {
    self.configuration = configuration
    self.recorder = recorder
    self.loop = loop
    let permissions = PermissionDesk(approvedCommands: memory.approvedCommands)
    state = Mutex(State(memory: memory, permissions: permissions))
  }

  var dialect: Dialect { configuration.dialect }

  var memory: Memory {
    state.withLock { state in
      var memory = state.memory
      memory.approvedCommands = state.permissions.approvedCommands
      return memory
    }
  }

  /// What the host asks for.
  var variant: HostVariant {
    var variant = HostVariant()
    variant.makeID = { [self] in makeID($0, in: $1) }
    variant.hasEpochs = dialect.hasSessionSockets && configuration.hasRuntimeEpochs
    variant.defaultModel = defaultModel
    variant.willStart = { [self] session, sessions throws(Refusal) in
      try checkLimits(of: session.workspace, sessions)
    }
    variant.prepareStart = prepareStart
    variant.didWrite = didWrite
    variant.didSend = { [self] in didSend($0, of: $1, in: $2) }
    variant.willUnload = willUnload
    variant.didHandOver = didHandOver
    variant.didHear = { [recorder] prompt, turn in
      let run = Journal.Run(
        sessionID: turn.session.id,
        text: prompt.message,
        clientTurnID: prompt.clientTurnID
      )
      recorder.record { $0.runs.append(run) }
    }
    variant.denial = { [self] in await denial(of: $0, $1, in: $2) }
    variant.settles = settles
    guard !dialect.hasSessionSockets else { return variant }
    variant.form = form
    variant.events = { [self] in events(for: $0, of: $1, in: $2) }
    variant.storedEvents.subtract(["retry_start", "retry_end"])
    variant.model = model
    variant.perform = { [self] request, agent, sessions throws(StreamError) in
      try perform(request, agent, sessions)
    }
    variant.willMake = { [self] in announceAgain($0, $1, $2) }
    // Older servers report a child's state to the viewers of its parent.
    variant.didChange = { child, parent, sessions in
      sessions.emit("state", ["session": sessions.json(child)], from: parent)
    }
    if dialect.isFirst, configuration.tls == nil { variant.invite = { $0.removing(["scheme"]) } }
    return variant
  }
}

// MARK: - Forms

extension FakeVariant {
  private func form(of record: JSONValue) -> JSONValue {
    record.removing(["runtime", "launch"])
  }

  func makeID(_ kind: String, in sessions: isolated Sessions) -> String {
    if configuration.countsIDs {
      let taken = Set(sessions.all.keys)
      return state.withLock { state in
        repeat { state.lastID += 1 } while taken.contains("\(kind)\(state.lastID)")
        return "\(kind)\(state.lastID)"
      }
    }
    let prefix = kind == "session" ? configuration.sessionIDPrefix : ""
    if dialect.hasSessionSockets { return loop.makeUUID(beginningWith: prefix) }
    switch kind {
    case "session": return loop.makeID(.short, beginningWith: prefix)
    case "ask": return "ask-\(loop.timestamp.milliseconds)-\(loop.makeID(.question))"
    default: return loop.makeID(.long)
    }
  }

  /// Older servers report each change as a state, and announce a call again with all its arguments.
  private func events(
    for event: SessionEvent,
    of session: LiveSession,
    in sessions: isolated Sessions
  ) -> [SessionEvent] {
    let state: SessionEvent = ("state", ["session": sessions.json(session)])
    let isFilled = event.members["args"]?.object?.isEmpty == false
    switch event.type {
    case "session_summary": return [state]
    case "tool_end": return [event, state]
    case "message_end": return event.members["role"] == "user" ? [event, state] : [event]
    case "agent_settled", "extension_ui_settled": return []
    case "error": return configuration.isCurrent ? [event] : []
    case "queue_state", "queue_item_started": return dialect.isFirst ? [] : [event]
    // The first servers announce calls only once the model has written them.
    case "tool_start": return dialect.isFirst && !isFilled ? [] : [event]
    case "tool_update":
      let start: SessionEvent = ("tool_start", event.members)
      return dialect.isFirst ? [] : isFilled ? [start, start] : [start]
    case "stop_confirmed" where dialect.isFirst:
      let isForced = event.members["reason"]?.string?.contains("timed out") == true
      return [(event.type, isForced ? ["source": "user"] : event.members)]
    default: return [event]
    }
  }

  private func didSend(
    _ event: JSONValue,
    of session: LiveSession,
    in sessions: isolated Sessions
  ) {
    let type = event["type"].string ?? ""
    if event["seq"] != .null || type == "command_result" { writeLater(session, in: sessions) }
    guard !dialect.hasSessionSockets, let agent = session.agent?.number else { return }
    let id = session.id
    state.withLock { $0.streams.send(event, of: type, from: agent, of: id) }
  }
}

// MARK: - Sessions

extension FakeVariant {
  private func defaultModel(in workspace: Workspace) -> String {
    state.withLock { $0.memory.models[workspace.id] }
      ?? (dialect.hasWorkspaceModels ? workspace.defaultModel : nil) ?? Model.defaultID
  }

  /// Older servers replace an unknown model by the default, and remember what a workspace uses.
  private func model(of session: LiveSession) -> Model? {
    let model = Model.named(session.model) ?? Model.named(Model.defaultID)
    guard let id = model?.id else { return nil }
    remember(model: id, in: session.workspace)
    let level = state.withLock { $0.memory.thinkingLevels[id] }
    session.record.thinkingLevel = session.record.thinkingLevel ?? level
    return model
  }

  func remember(model: String, in workspace: Workspace) {
    state.withLock { $0.memory.models[workspace.id] = model }
  }

  func remember(thinkingLevel: String, of model: String) {
    state.withLock { $0.memory.thinkingLevels[model] = thinkingLevel }
  }

  private func checkLimits(of workspace: Workspace, _ sessions: isolated Sessions) throws(Refusal) {
    let (limits, usual) = (configuration.limits, dialect.sessionLimits)
    let perWorkspace = limits.loadedSessionsPerWorkspace ?? usual.perWorkspace
    let total = limits.loadedSessions ?? usual.total
    let loaded = sessions.all.values.filter { $0.agent != nil || $0.start != nil }
    guard loaded.count(where: { $0.workspace.id == workspace.id }) < perWorkspace else {
      let text = "Workspace session limit reached (\(perWorkspace))"
      throw Refusal(500, text, code: "SESSION_LIMIT_WORKSPACE")
    }
    guard loaded.count < total else {
      let text = "Global session limit reached (\(total))"
      throw Refusal(500, text, code: "SESSION_LIMIT_GLOBAL")
    }
  }

  /// The starts in a workspace are sequential.
  private func prepareStart(in workspace: Workspace) async throws(Refusal) {
    let delay = configuration.agentStartDelay
    if delay > .zero {
      let end = Promise<Bool>()
      let previous = state.withLock { $0.starts.updateValue(end, forKey: workspace.id) }
      _ = await previous?.value()
      try? await loop.sleep(until: loop.now + delay)
      end.keep(true)
    }
    if let failure = configuration.startFailures[workspace.id] { throw Refusal(500, failure) }
  }

  private func willUnload(_ session: LiveSession) -> () -> Void {
    let pending = permissions(of: session)
    for permission in pending {
      state.withLock { _ = $0.permissions.withdraw(permission) }
      if !dialect.isFirst { pushEnd("permission_cancelled", of: permission) }
    }
    return { for permission in pending { permission.decision.keep(.denied("Session ended")) } }
  }

  /// A server that ends now has not recorded that the agent has the prompt.
  private func didHandOver(to sessionID: String) async {
    guard case .hang? = configuration.interceptor?(.handedOver(sessionID: sessionID)) else {
      return
    }
    try? await loop.sleep(for: .seconds(3600))
  }

  /// Older servers announce all calls again before the first one.
  private func announceAgain(
    _ calls: [IdentifiedCall],
    _ turn: AgentTurn,
    _ sessions: isolated Sessions
  ) {
    for call in calls {
      sessions.emitCall("tool_start", call, call.call.arguments, turn)
      sessions.emitState(turn.session)
    }
  }

  private func settles() async -> Bool {
    guard dialect.hasSessionSockets, configuration.settlesTurns else { return false }
    let delay = configuration.settleDelay
    if delay > .zero { try? await loop.sleep(until: loop.now + delay) }
    return true
  }
}

// MARK: - The disk

extension FakeVariant {
  /// Whether REST shows sessions as last written instead of their current state.
  private var isBehind: Bool { dialect.isFirst && configuration.restLag > .zero }

  private func didWrite(_ session: LiveSession) {
    guard isBehind else { return }
    let record = session.record
    state.withLock { state in
      state.written[record.id] = record
      state.dueWrites.remove(record.id)
    }
  }

  /// Schedules a write of a session, which includes changes until then.
  private func writeLater(_ session: LiveSession, in sessions: isolated Sessions) {
    let id = session.id
    guard isBehind, state.withLock({ $0.dueWrites.insert(id).inserted }) else { return }
    sessions.later(configuration.restLag) { [self] sessions in
      guard let session = sessions.all[id], state.withLock({ $0.dueWrites.contains(id) }) else {
        return
      }
      sessions.write(session)
    }
  }

  /// The record for responses that do not show the current state.
  private func shownRecord(of session: LiveSession) -> SessionRecord {
    let id = session.id
    return state.withLock { $0.written[id] } ?? session.record
  }

  func shown(_ session: LiveSession) -> JSONValue { form(of: shownRecord(of: session).json) }

  /// The disk contents; `beforehand` runs at the same moment.
  func archive(of sessions: isolated Sessions, beforehand: @Sendable () -> Void = {}) -> Archive {
    beforehand()
    return sessions.archive(shownRecord)
  }
}

// MARK: - Ends

extension FakeVariant {
  /// Ends all loaded sessions, without waiting for pending approvals.
  func endAll(in sessions: isolated Sessions) async {
    for session in loaded(in: sessions) {
      let isHeld = !permissions(of: session).isEmpty
      await sessions.end(session, timeout: isHeld ? .zero : nil)
    }
  }

  func restartAgents(of sessions: isolated Sessions) async {
    for session in loaded(in: sessions) {
      await sessions.end(session)
      _ = try? await sessions.start(session)
    }
  }

  private func loaded(in sessions: isolated Sessions) -> [LiveSession] {
    sessions.all.values.filter { $0.agent != nil }.sorted { $0.id < $1.id }
  }

  func releaseTool(of id: String, in sessions: isolated Sessions) {
    sessions.all[id]?.agent?.run?.interruption.keep(true)
  }
}
