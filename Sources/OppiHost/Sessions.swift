// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel

/// The sessions of a host, their agents and their viewers.
package actor Sessions {
  package let configuration: HostConfiguration
  package let loop: EventLoop
  package let agent: any HostAgent
  package let variant: any HostVariant
  /// What clients can ask a session to do, by the type of their messages.
  let commands: [String: Command]
  package let background: Background
  package private(set) var all: [String: LiveSession]
  package var choices: LastChoices
  /// The files for prompts, by ID.
  package internal(set) var uploads: [String: Upload]
  var viewers = Viewers()

  init(
    _ configuration: HostConfiguration,
    _ parts: HostParts,
    background: Background,
    loop: EventLoop
  ) {
    self.configuration = configuration
    self.loop = loop
    self.background = background
    agent = parts.agent
    variant = parts.variant
    commands = parts.commands
    choices = parts.archive.choices
    uploads = parts.archive.uploads
    all = [:]
    for session in parts.archive.sessions {
      all[session.record.id] = LiveSession(session.record, trace: session.trace, on: loop)
    }
  }

  // MARK: - Time

  /// Waits for a promise with a timeout; `nil` if it was not kept in time.
  package func wait<Value: Sendable>(
    for promise: Promise<Value>,
    atMost time: Duration
  ) async -> Value? {
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
  package func later(_ delay: Duration, _ job: @escaping @Sendable (isolated Sessions) -> Void) {
    background.start { [loop] in
      guard (try? await loop.sleep(until: loop.now + delay)) != nil else { return }
      await job(self)
    }
  }

  // MARK: - The sessions

  package func contains(_ id: String, inWorkspace workspaceID: String) -> Bool {
    all[id]?.workspace.id == workspaceID
  }

  package func session(_ id: String) throws(Refusal) -> LiveSession {
    guard let session = all[id] else { throw Refusal(404, "Session not found") }
    return session
  }

  package func makeSession(
    in workspace: Workspace,
    name: String?,
    model: String? = nil,
    parentID: String? = nil
  ) -> LiveSession {
    let usualModel = choices.model(in: LastChoices.everywhere) ?? Model.defaultID
    let session = LiveSession(
      SessionRecord(
        id: variant.makeID("session", in: self),
        workspace: workspace,
        name: name,
        model: model ?? variant.defaultModel(in: workspace, self) ?? usualModel,
        parentID: parentID,
        createdAt: loop.timestamp
      ),
      on: loop
    )
    all[session.id] = session
    return session
  }

  func remove(_ session: LiveSession) {
    all[session.id] = nil
  }

  package func json(_ session: LiveSession) -> JSONValue { variant.form(of: session.record.json) }

  /// The session in the form of lists, with the number of its listed dialogs.
  func summary(of session: LiveSession) -> JSONValue {
    let pending = session.agent?.questions.count { $0.entry != nil } ?? 0
    return json(session).removing(["launch"]).adding(["pendingAskCount": .number(pending)])
  }

  /// Notes that the record of a session was written to the disk, and announces its changes.
  package func write(_ session: LiveSession) {
    variant.didWrite(session)
    announceSummary(of: session)
  }
}

/// The last model of each place and the last thinking level of each model, which are the defaults
/// of new sessions.
package struct LastChoices: Sendable {
  /// The place of choices for all workspaces.
  package static let everywhere = ""

  private var models: [String: String] = [:]
  private var thinkingLevels: [String: String] = [:]

  package init() {}

  package func model(in place: String) -> String? { models[place] }

  package mutating func choose(model: String, in place: String) {
    models[place] = model
  }

  func thinkingLevel(of model: String) -> String? { thinkingLevels[model] }

  package mutating func choose(thinkingLevel: String, of model: String) {
    thinkingLevels[model] = thinkingLevel
  }
}

/// The data of a host that survives its end.
package struct Archive: Sendable {
  package typealias Session = (record: SessionRecord, trace: Trace)

  package var sessions: [Session] = []
  package var choices = LastChoices()
  package var uploads: [String: Upload] = [:]

  package init() {}
}

// MARK: - Events

extension Sessions {
  /// The types of events that are numbered and stored for replay.
  package static let storedEvents: Set<String> = [
    "agent_start", "agent_end", "agent_settled", "message_end", "tool_start", "tool_end",
    "retry_start", "retry_end", "stop_requested", "stop_confirmed", "stop_failed",
    "session_ended", "error",
  ]
  /// The events that the viewers of all sessions get like those of the session.
  private static let commonEvents: Set<String> = [
    "session_ended", "stop_requested", "stop_confirmed", "stop_failed", "extension_ui_request",
    "extension_ui_settled", "extension_ui_notification",
  ]

  /// Sends an event to the viewers of the session's agent.
  package func emit(_ type: String, _ members: JSONObject = [:], from session: LiveSession) {
    guard let agent = session.agent else { return }
    for (type, members) in variant.events(for: (type, members), of: session, in: self) {
      var event = JSONValue.object(members).adding(["type": .string(type)])
      if variant.isStored(type) { event = agent.log.append(event) }
      viewers.send(event, of: session.id, from: agent)
      variant.didSend(event, of: session, in: self)
    }
    if Self.commonEvents.contains(type) {
      announce(type, members, about: session)
    } else if type == "error" {
      announce("session_error", ["message": members["error"]], about: session)
    }
  }

  package func emitState(_ session: LiveSession) {
    emit("state", ["session": json(session)], from: session)
    announceSummary(of: session)
  }

  /// Reports a change of the status or the name.
  package func emitChange(_ session: LiveSession) {
    emit("session_summary", ["summary": summary(of: session)], from: session)
    announceSummary(of: session)
  }

  package func emitQueue(_ session: LiveSession) {
    guard let agent = session.agent else { return }
    emit("queue_state", ["queue": agent.queue.json], from: session)
  }

  // MARK: - Events for the viewers of all sessions

  func announceCreation(of session: LiveSession) {
    let summary = summary(of: session)
    session.announcedSummary = summary
    announce("session_created", ["summary": summary], about: session)
  }

  /// Announces the summary of a session unless it is the one that was announced last.
  func announceSummary(of session: LiveSession) {
    guard all[session.id] != nil else { return }
    let summary = summary(of: session)
    guard summary != session.announcedSummary else { return }
    session.announcedSummary = summary
    announce("session_summary", ["summary": summary], about: session)
  }

  func announce(_ type: String, _ members: JSONObject = [:], about session: LiveSession) {
    let event = JSONValue.object([
      "type": .string(type),
      "sessionId": .string(session.id),
      "workspaceId": .string(session.workspace.id),
      "emittedAt": loop.timestamp.json,
    ])
    viewers.announce(event.adding(members))
  }
}

// MARK: - Viewers

/// Where the messages for a client go.
package protocol Outlet: Sendable {
  /// Sends a message about a session, or about none.
  func send(_ message: JSONValue, about sessionID: String?)
}

/// Who sees the events of the sessions, by the number of the connection.
struct Viewers {
  private struct Viewer {
    let outlet: any Outlet
    let sessionID: String
    /// The number of the agent whose events the viewer gets.
    let agent: Int
  }

  private var ofSessions: [Int: Viewer] = [:]
  private var ofAll: [Int: any Outlet] = [:]

  mutating func add(_ outlet: any Outlet, _ id: Int, of agent: LoadedAgent, in sessionID: String) {
    ofSessions[id] = Viewer(outlet: outlet, sessionID: sessionID, agent: agent.number)
  }

  mutating func addViewerOfAll(_ outlet: any Outlet, _ id: Int) {
    ofAll[id] = outlet
  }

  mutating func remove(_ id: Int) {
    ofSessions[id] = nil
    ofAll[id] = nil
  }

  /// Whether a viewer gets the events of some agent, also of one that has ended.
  func has(_ id: Int) -> Bool { ofSessions[id] != nil }

  func send(_ event: JSONValue, of sessionID: String, from agent: LoadedAgent) {
    for (_, viewer) in ofSessions.sorted(by: { $0.key < $1.key })
    where viewer.sessionID == sessionID && viewer.agent == agent.number {
      viewer.outlet.send(event, about: sessionID)
    }
  }

  func announce(_ event: JSONValue) {
    for (_, outlet) in ofAll.sorted(by: { $0.key < $1.key }) { outlet.send(event, about: nil) }
  }
}
