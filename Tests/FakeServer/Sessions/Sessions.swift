// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

actor Sessions {
  let configuration: FakeServer.Configuration
  let loop: EventLoop
  let background: Background
  let recorder: Recorder
  let power = Power()
  private(set) var all: [String: LiveSession]
  var streams = Streams()
  var permissions: PermissionDesk
  var audit = AuditLog()
  var choices: LastChoices
  var starts: Starts
  /// The files for prompts, by ID.
  var uploads: [String: Upload]
  var scheduleRuns: [ServerScheduleRun]
  /// The number of commands over REST so far.
  var commandCount = 0
  /// The last counted ID.
  private var lastID = 0

  init(
    configuration: FakeServer.Configuration,
    loop: EventLoop,
    background: Background,
    recorder: Recorder,
    archive: Archive = Archive()
  ) {
    self.configuration = configuration
    self.loop = loop
    self.background = background
    self.recorder = recorder
    all = Self.sessions(from: archive, configuration.dialect, on: loop)
    permissions = PermissionDesk(approvedCommands: archive.approvedCommands)
    choices = archive.choices
    uploads = archive.uploads
    scheduleRuns = archive.scheduleRuns
    starts = Starts(configuration)
  }

  nonisolated var dialect: Dialect { configuration.dialect }

  func json(_ session: LiveSession) -> JSONValue { session.record.json(dialect) }

  /// Waits for a promise with a timeout; `nil` if it was not kept in time.
  func wait<Value: Sendable>(for promise: Promise<Value>, atMost time: Duration) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await promise.value() }
      group.addTask { [loop] in
        try? await loop.sleep(until: loop.now + time)
        return nil
      }
      let value = await group.next()
      group.cancelAll()
      return value ?? nil
    }
  }

  /// Runs a job after a delay unless the server has ended by then.
  func later(_ delay: Duration, _ job: @escaping @Sendable (isolated Sessions) -> Void) {
    background.start { [loop] in
      guard (try? await loop.sleep(until: loop.now + delay)) != nil else { return }
      await job(self)
    }
  }

  func contains(_ id: String, inWorkspace workspaceID: String) -> Bool {
    all[id]?.workspace.id == workspaceID
  }

  func session(_ id: String) throws(Refusal) -> LiveSession {
    guard let session = all[id] else { throw Refusal(404, "Session not found") }
    return session
  }

  // MARK: - REST

  var counts: (active: Int, total: Int) {
    let active = all.values.count { session in
      dialect.countsUnloadedSessions ? session.status != .stopped : session.agent != nil
    }
    return (active, all.count)
  }

  /// The sessions, most recent activity first.
  func list(inWorkspace workspaceID: String? = nil) -> [JSONValue] {
    all.values
      .filter { workspaceID == nil || $0.workspace.id == workspaceID }
      .sorted { ($0.history.lastActivity, $0.id) > ($1.history.lastActivity, $1.id) }
      .map(shown)
  }

  func create(in workspace: Workspace, name: String?, model: String?) -> JSONValue {
    shown(makeSession(in: workspace, name: name, model: model))
  }

  func makeSession(
    in workspace: Workspace,
    name: String?,
    model: String? = nil,
    parentID: String? = nil
  ) -> LiveSession {
    let prefix = configuration.sessionIDPrefix
    let session = LiveSession(
      SessionRecord(
        id: id(counting: "session") {
          dialect.usesUUIDs
            ? loop.makeUUID(beginningWith: prefix)
            : loop.makeID(.short, beginningWith: prefix)
        },
        workspace: workspace,
        name: name,
        model: model ?? defaultModel(in: workspace),
        parentID: parentID,
        createdAt: loop.timestamp
      ),
      on: loop
    )
    all[session.id] = session
    return session
  }

  /// A new ID; a counted one if the configuration says so.
  func id(counting name: String, _ random: () -> String) -> String {
    guard configuration.countsIDs else { return random() }
    repeat { lastID += 1 } while all["\(name)\(lastID)"] != nil
    return "\(name)\(lastID)"
  }

  private func defaultModel(in workspace: Workspace) -> String {
    choices.model(in: dialect.remembersChoices ? workspace.id : LastChoices.everywhere)
      ?? (dialect.hasWorkspaceModels ? workspace.defaultModel : nil) ?? Model.defaultID
  }

  func remove(_ session: LiveSession) {
    all[session.id] = nil
  }

  func detail(of id: String) throws(Refusal) -> JSONValue {
    let session = try session(id)
    return ["session": shown(session), "trace": .array(session.trace.entries)]
  }

  func events(of id: String, since text: String?) throws(Refusal) -> JSONValue {
    let session = try session(id)
    guard let agent = session.agent else { throw Refusal(404, "Session not active") }
    guard let since = Int(text ?? "0"), since >= 0 else {
      throw Refusal(400, "since must be a non-negative integer")
    }
    let events = agent.log.events(after: since)
    return .object([
      "events": .array(events ?? []),
      "currentSeq": .number(agent.log.sequence),
      "runtimeEpoch": shownEpoch(of: agent),
      "session": json(session),
      "catchUpComplete": .bool(events != nil),
    ])
  }
}

// MARK: - Events

extension Sessions {
  /// The types of events that are numbered and stored for replay.
  private static let durable: Set<String> = [
    "agent_start", "agent_end", "message_end", "tool_start", "tool_end", "stop_requested",
    "stop_confirmed", "stop_failed", "session_ended", "error",
  ]
  /// The further ones of servers with session sockets.
  private static let laterDurable: Set<String> = ["agent_settled", "retry_start", "retry_end"]

  /// Sends an event to the streams that are subscribed to the session's agent.
  func emit(_ type: String, _ members: JSONObject = [:], from session: LiveSession) {
    guard let agent = session.agent else { return }
    var event = JSONValue.object(members).adding(["type": .string(type)])
    if Self.durable.contains(type)
      || dialect.hasSessionSockets && Self.laterDurable.contains(type)
    {
      event = agent.log.append(event)
      writeLater(session)
    }
    streams.send(event, of: type, from: agent, of: session.id)
    announceEvent(type, members, of: session)
  }

  func emitState(_ session: LiveSession) {
    emit("state", ["session": json(session)], from: session)
    announceSummary(of: session)
  }

  /// Reports a change of the status or the name.
  func emitChange(_ session: LiveSession) {
    guard dialect.summarizesChanges else { return emitState(session) }
    emit("session_summary", ["summary": summary(of: session)], from: session)
    announceSummary(of: session)
  }

  /// Reports the state after a step of a turn; later servers do not.
  func emitProgress(_ session: LiveSession) {
    if !dialect.summarizesChanges { emitState(session) }
  }

  /// Reports a failure of the agent; older servers do not.
  func emitError(_ text: String, from session: LiveSession) {
    if configuration.isCurrent { emit("error", ["error": .string(text)], from: session) }
  }

  func emitQueue(_ session: LiveSession) {
    guard dialect.announcesQueue, let agent = session.agent else { return }
    emit("queue_state", ["queue": agent.queue.json], from: session)
  }
}
