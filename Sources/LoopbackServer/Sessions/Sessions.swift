// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// All sessions of a server, the streams that watch them and the agents that work in them.
actor Sessions {
  let configuration: LoopbackServer.Configuration
  let loop: EventLoop
  let background: Background
  let recorder: Recorder
  let power = Power()
  var all: [String: LiveSession]
  /// By the number of the connection.
  var streams: [Int: Stream] = [:]
  var permissions: [String: PendingPermission] = [:]
  /// Counts what was pushed to all streams.
  var streamSequence = 0
  /// Commands that need no approval any more, in any session.
  var approvedCommands: Set<String>
  /// What was used last in each workspace and chosen last for each model; new sessions begin with
  /// it.
  var lastModels: [String: String]
  var lastThinkingLevels: [String: String]
  /// By the workspace's id, as everything about starts.
  var startFailures: [String: String]
  var agentStartDelays: [String: Duration]
  /// The starts under way that others have to wait for.
  var latestStarts: [String: Promise<Bool>] = [:]

  init(
    configuration: LoopbackServer.Configuration,
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
    approvedCommands = archive.approvedCommands
    lastModels = archive.lastModels
    lastThinkingLevels = archive.lastThinkingLevels
    startFailures = configuration.startFailures
    agentStartDelays = configuration.agentStartDelays
  }

  nonisolated var dialect: PairedServer.Dialect { configuration.dialect }

  /// The object of a session as it is now.
  func json(_ session: LiveSession) -> JSONValue { session.record.json(dialect) }

  /// Waits for a promise, but not for longer than a time; `nil` where it was not kept by then.
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

  /// Does something after a while, unless the server has ended by then.
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

  /// The streams in the order in which they were opened.
  var orderedStreams: [Stream] { streams.sorted { $0.key < $1.key }.map(\.value) }

  /// The requests for approval, by their ids.
  var orderedPermissions: [PendingPermission] {
    permissions.sorted { $0.key < $1.key }.map(\.value)
  }

  // MARK: - REST

  var counts: (active: Int, total: Int) {
    let active = all.values.count { session in
      dialect.countsUnloadedSessions ? session.status != .stopped : session.agent != nil
    }
    return (active, all.count)
  }

  /// The sessions, latest activity first.
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
    let session = LiveSession(
      SessionRecord(
        id: loop.makeID(.short, beginningWith: configuration.sessionIDPrefix),
        workspace: workspace,
        name: name,
        model: model ?? lastModels[workspace.id] ?? workspace.defaultModel ?? Model.defaultID,
        parentID: parentID,
        createdAt: loop.timestamp
      ),
      on: loop
    )
    all[session.id] = session
    return session
  }

  /// A session's object and trace.
  func detail(of id: String) throws(Refusal) -> JSONValue {
    let session = try session(id)
    return ["session": shown(session), "trace": .array(session.trace.entries)]
  }

  func resume(_ id: String, in workspaceID: String) async throws(Refusal) -> JSONValue {
    let session = try session(id)
    guard session.workspace.id == workspaceID else {
      throw Refusal(400, "Session does not belong to this workspace")
    }
    try await start(session)
    return shown(session)
  }

  func events(of id: String, since text: String?) throws(Refusal) -> JSONValue {
    let session = try session(id)
    guard let agent = session.agent else { throw Refusal(404, "Session not active") }
    guard let since = Int(text ?? "0"), since >= 0 else {
      throw Refusal(400, "since must be a non-negative integer")
    }
    let events = agent.log.events(after: since)
    return [
      "events": .array(events ?? []),
      "currentSeq": .number(agent.log.sequence),
      "session": json(session),
      "catchUpComplete": .bool(events != nil),
    ]
  }
}
