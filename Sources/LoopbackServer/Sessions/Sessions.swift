// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

/// All sessions of a server, the streams that watch them and the agents that work in them.
actor Sessions {
  let configuration: LoopbackServer.Configuration
  let loop: EventLoop
  let background: Background
  var all: [String: LiveSession] = [:]
  /// By the number of the connection.
  var streams: [Int: Stream] = [:]
  var permissions: [String: PendingPermission] = [:]
  /// Counts what was pushed to all streams.
  var streamSequence = 0
  /// Commands that need no approval any more, in any session.
  var approvedCommands: Set<String> = []
  /// What was chosen last for each workspace and each model; new sessions begin with it.
  var lastModels: [String: String] = [:]
  var lastThinkingLevels: [String: String] = [:]

  init(configuration: LoopbackServer.Configuration, loop: EventLoop, background: Background) {
    self.configuration = configuration
    self.loop = loop
    self.background = background
  }

  var isCurrent: Bool { configuration.dialect == .multiplexed }

  func json(_ session: LiveSession) -> JSONValue { session.json(configuration.dialect) }

  func contains(_ id: String, inWorkspace workspaceID: String) -> Bool {
    all[id]?.workspace.id == workspaceID
  }

  func session(_ id: String) throws(Refusal) -> LiveSession {
    guard let session = all[id] else { throw Refusal(404, "Session not found") }
    return session
  }

  // MARK: - REST

  var counts: (active: Int, total: Int) {
    (all.values.count { $0.agent != nil }, all.count)
  }

  /// The sessions, latest activity first.
  func list(inWorkspace workspaceID: String? = nil) -> [JSONValue] {
    all.values
      .filter { workspaceID == nil || $0.workspace.id == workspaceID }
      .sorted { ($0.history.lastActivity, $0.id) > ($1.history.lastActivity, $1.id) }
      .map(json)
  }

  func create(in workspace: Workspace, name: String?, model: String?) -> JSONValue {
    json(makeSession(in: workspace, name: name, model: model))
  }

  func makeSession(
    in workspace: Workspace,
    name: String?,
    model: String? = nil,
    parentID: String? = nil
  ) -> LiveSession {
    let session = LiveSession(
      id: Identifier.make(Identifier.short, beginningWith: configuration.sessionIDPrefix),
      workspace: workspace,
      name: name,
      model: model ?? lastModels[workspace.id] ?? workspace.defaultModel ?? Model.defaultID,
      parentID: parentID
    )
    all[session.id] = session
    return session
  }

  /// A session's object and trace.
  func detail(of id: String) throws(Refusal) -> JSONValue {
    let session = try session(id)
    return ["session": json(session), "trace": .array(session.history.trace)]
  }

  func resume(_ id: String, in workspaceID: String) async throws(Refusal) -> JSONValue {
    let session = try session(id)
    guard session.workspace.id == workspaceID else {
      throw Refusal(400, "Session does not belong to this workspace")
    }
    try await start(session)
    return json(session)
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

  // MARK: - Starting agents

  /// Loads a session's agent unless it is loaded; waits for a start that is under way.
  func start(_ session: LiveSession) async throws(Refusal) {
    if let start = session.start { _ = await start.value() }
    guard session.agent == nil else { return }
    try checkLimits(session)
    if let failure = configuration.startFailures[session.workspace.id] {
      throw Refusal(500, failure)
    }
    if configuration.agentStartDelay > .zero {
      let start = Promise<Bool>()
      session.start = start
      try? await loop.sleep(until: .now + configuration.agentStartDelay)
      session.start = nil
      start.keep(true)
    }
    session.starts += 1
    session.agent = Agent(number: session.starts, limits: configuration.limits)
    session.status = .ready
    session.thinkingLevel =
      session.thinkingLevel ?? lastThinkingLevels[session.model] ?? ThinkingLevel.medium.rawValue
  }

  private func checkLimits(_ session: LiveSession) throws(Refusal) {
    let limits = configuration.limits
    let loaded = all.values.filter { $0.agent != nil }
    let neighbours = loaded.count { $0.workspace.id == session.workspace.id }
    guard neighbours < limits.loadedSessionsPerWorkspace else {
      throw Refusal(500, "Workspace session limit reached (\(limits.loadedSessionsPerWorkspace))")
    }
    guard loaded.count < limits.loadedSessions else {
      throw Refusal(500, "Global session limit reached (\(limits.loadedSessions))")
    }
  }
}
