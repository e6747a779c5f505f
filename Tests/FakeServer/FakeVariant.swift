// SPDX-License-Identifier: MIT

import EventLoop
import OppiHost
import OppiModel
import Synchronization

/// The behaviour of servers of older dialects, and the faults of agents, at the places where a host
/// asks for it.
final class FakeVariant: HostVariant {
  struct State: Sendable {
    var permissions: PermissionDesk
    var audit = AuditLog()
    var starts: Starts
    var streams = OlderStreams()
    var scheduleRuns: [ServerScheduleRun]
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
    from remains: FakeServer.Remains?,
    on loop: EventLoop
  ) {
    self.configuration = configuration
    self.recorder = recorder
    self.loop = loop
    state = Mutex(
      State(
        permissions: PermissionDesk(approvedCommands: remains?.approvedCommands ?? []),
        starts: Starts(configuration),
        scheduleRuns: remains?.scheduleRuns ?? []
      )
    )
  }

  var dialect: Dialect { configuration.dialect }
  var approvedCommands: Set<String> { state.withLock(\.permissions.approvedCommands) }
  var scheduleRuns: [ServerScheduleRun] { state.withLock(\.scheduleRuns) }

  func changeStarts(_ change: (inout Starts) -> Void) { state.withLock { change(&$0.starts) } }
}

// MARK: - Forms

extension FakeVariant {
  func form(of record: JSONValue) -> JSONValue {
    guard !dialect.hasSessionSockets else { return record }
    let record = record.removing([
      "runtime", "lastAgentReplyAt", "currentTurnStartedAt", "launch",
    ])
    guard dialect.isFirst else { return record }
    return record.adding(["tokens": record["tokens"].removing(["cacheRead", "cacheWrite"])])
  }

  func invite(_ invite: JSONValue) -> JSONValue {
    dialect.isFirst && configuration.tls == nil ? invite.removing(["scheme"]) : invite
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

  func makeEpoch(on loop: EventLoop) -> String? {
    dialect.hasSessionSockets && configuration.hasRuntimeEpochs ? loop.makeUUID() : nil
  }
}

// MARK: - Events

extension FakeVariant {
  /// Older servers report each change as a state, and announce a call again with all its arguments.
  func events(
    for event: SessionEvent,
    of session: LiveSession,
    in sessions: isolated Sessions
  ) -> [SessionEvent] {
    guard !dialect.hasSessionSockets else { return [event] }
    let state: SessionEvent = ("state", ["session": sessions.json(session)])
    let isFilled = event.members["args"]?.object?.isEmpty == false
    switch event.type {
    case "session_summary": return [state]
    case "tool_end": return [event, state]
    case "message_end": return event.members["role"] == "user" ? [event, state] : [event]
    case "agent_settled", "extension_ui_settled": return []
    case "error": return configuration.isCurrent ? [event] : []
    case "queue_state", "queue_item_started": return dialect.isFirst ? [] : [event]
    // The first servers announce calls only once the model has written them, see `willMake`.
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

  func isStored(_ type: String) -> Bool {
    let isLater = ["retry_start", "retry_end"].contains(type)
    return Sessions.storedEvents.contains(type) && (dialect.hasSessionSockets || !isLater)
  }

  func didSend(_ event: JSONValue, of session: LiveSession, in sessions: isolated Sessions) {
    let type = event["type"].string ?? ""
    if isStored(type) || type == "command_result" { writeLater(session, in: sessions) }
    guard !dialect.hasSessionSockets, let agent = session.agent?.number else { return }
    let id = session.id
    state.withLock { $0.streams.send(event, of: type, from: agent, of: id) }
  }
}

// MARK: - Sessions

extension FakeVariant {
  func defaultModel(in workspace: Workspace, _ sessions: isolated Sessions) -> String? {
    let place = dialect.remembersChoices ? workspace.id : LastChoices.everywhere
    return sessions.choices.model(in: place)
      ?? (dialect.hasWorkspaceModels ? workspace.defaultModel : nil)
  }

  /// Older servers replace an unknown model by the default.
  func model(named text: String) -> Model? {
    dialect.hasSessionSockets
      ? Model.matching(text) : Model.named(text) ?? Model.named(Model.defaultID)
  }

  func prepareStart(
    of session: LiveSession,
    in sessions: isolated Sessions
  ) async throws(Refusal) {
    let id = session.workspace.id
    if let start = state.withLock({ $0.starts.begin(in: id) }) {
      _ = await start.previous?.value()
      if start.delay > .zero { try? await loop.sleep(until: loop.now + start.delay) }
      state.withLock { $0.starts.end(start, in: id) }
    }
    if let failure = state.withLock({ $0.starts.failure(in: id) }) { throw Refusal(500, failure) }
  }

  func didLoad(_ session: LiveSession, in sessions: isolated Sessions) {
    guard dialect.remembersChoices else { return }
    sessions.choices.choose(model: session.model, in: session.workspace.id)
  }

  func willUnload(_ session: LiveSession, in sessions: isolated Sessions) -> () -> Void {
    let pending = permissions(of: session)
    for permission in pending {
      state.withLock { _ = $0.permissions.withdraw(permission) }
      if !dialect.isFirst { pushEnd("permission_cancelled", of: permission) }
    }
    return { for permission in pending { permission.decision.keep(.denied("Session ended")) } }
  }

  /// A server that ends now has not recorded that the agent has the prompt.
  func didHandOver(to session: LiveSession, in sessions: isolated Sessions) async {
    guard case .hang? = configuration.interceptor?(.handedOver(sessionID: session.id)) else {
      return
    }
    try? await loop.sleep(for: .seconds(3600))
  }
}

// MARK: - Turns

extension FakeVariant {
  func didHear(_ prompt: MessageQueue.Item, _ turn: AgentTurn, in sessions: isolated Sessions) {
    let (id, text) = (turn.session.id, prompt.message)
    recorder.record(.run(.init(sessionID: id, text: text, clientTurnID: prompt.clientTurnID)))
  }

  /// The first servers announce the start and end of each message of the model.
  func willSpeak(_ turn: AgentTurn, in sessions: isolated Sessions) {
    guard dialect.isFirst, !turn.run.isInTurn else { return }
    turn.run.isInTurn = true
    sessions.emit("turn_start", from: turn.session)
  }

  func didSpeak(_ turn: AgentTurn, in sessions: isolated Sessions) {
    guard turn.run.isInTurn else { return }
    turn.run.isInTurn = false
    sessions.emit("turn_end", from: turn.session)
  }

  /// Older servers announce all calls again before the first one.
  func willMake(_ calls: [IdentifiedCall], _ turn: AgentTurn, in sessions: isolated Sessions) {
    guard !dialect.hasSessionSockets else { return }
    for call in calls {
      sessions.emitCall("tool_start", call, call.call.arguments, turn)
      sessions.emitState(turn.session)
    }
  }

  /// Older servers report a child's state to the viewers of its parent.
  func didChange(child: LiveSession, of parent: LiveSession, in sessions: isolated Sessions) {
    guard !dialect.hasSessionSockets else { return }
    sessions.emit("state", ["session": sessions.json(child)], from: parent)
  }

  func settles(in sessions: isolated Sessions) async -> Bool {
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

  func didWrite(_ session: LiveSession) {
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

  /// The disk contents: of conversations, only the written part.
  ///
  /// `beforehand` runs at the same moment.
  func archive(of sessions: isolated Sessions, beforehand: @Sendable () -> Void = {}) -> Archive {
    beforehand()
    var archive = Archive()
    archive.sessions = sessions.all.values.map { (shownRecord(of: $0), $0.trace.reopened) }
    archive.choices = sessions.choices
    archive.uploads = sessions.uploads
    return archive
  }
}

// MARK: - Ends

extension FakeVariant {
  /// Ends all loaded sessions, without waiting for pending approvals.
  func endAll(in sessions: isolated Sessions) async {
    for (_, session) in sessions.all.sorted(by: { $0.key < $1.key }) where session.agent != nil {
      let isHeld = !permissions(of: session).isEmpty
      await sessions.end(session, patience: isHeld ? .zero : nil)
    }
  }

  func restartAgents(of sessions: isolated Sessions) async {
    for (_, session) in sessions.all.sorted(by: { $0.key < $1.key }) where session.agent != nil {
      await sessions.end(session)
      _ = try? await sessions.resume(session.id)
    }
  }

  func releaseTool(of id: String, in sessions: isolated Sessions) {
    sessions.all[id]?.agent?.run?.interruption.keep(true)
  }
}
