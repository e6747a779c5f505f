// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiText
package import OppiWire

/// The sessions of a host, their agents and their viewers.
package actor Sessions {
  package let configuration: HostConfiguration
  package let loop: EventLoop
  let agent: any HostAgent
  let variant: HostVariant
  package let background: Background
  let fingerprint: Fingerprint
  package let createdAt: Timestamp
  let startedAt: EventLoop.Instant
  package internal(set) var all: [String: LiveSession]
  /// The files for prompts, by ID.
  var uploads: [String: Upload]
  /// By the number of the connection.
  var viewers: [Int: Viewer] = [:]
  /// Those who wait for the start of a session, by the number of the connection; they are not heard.
  var openers: [Int: (sessionID: String, outlet: Outlet)] = [:]
  /// The ids of the workspaces with a decision about trust in their folder.
  var decidedFolders: Set<String> = []

  init(
    _ configuration: HostConfiguration,
    _ parts: HostParts,
    _ fingerprint: Fingerprint,
    background: Background,
    loop: EventLoop
  ) {
    self.configuration = configuration
    self.loop = loop
    self.background = background
    self.fingerprint = fingerprint
    agent = parts.agent
    variant = parts.variant
    createdAt = loop.timestamp
    startedAt = loop.now - configuration.age
    uploads = parts.archive.uploads
    all = [:]
    for session in parts.archive.sessions {
      all[session.id] = LiveSession(session)
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

  package func makeSession(
    in workspace: Workspace,
    name: String?,
    model: String? = nil,
    parentID: String? = nil
  ) -> LiveSession {
    let record = SessionRecord(
      id: variant.makeID("session", self),
      workspace: workspace,
      createdAt: loop.timestamp,
      parentID: parentID,
      name: name,
      model: model ?? variant.defaultModel(workspace),
      lastActivity: loop.timestamp
    )
    let session = LiveSession(record)
    all[session.id] = session
    return session
  }

  package func json(_ session: LiveSession) -> JSONValue { variant.form(session.record.json) }

  /// The session in the form of lists, with the number of its listed dialogs.
  func summary(of session: LiveSession) -> JSONValue {
    let pending = session.questioner?.questions.count { $0.entry != nil } ?? 0
    return json(session).removing(["launch"]).adding(["pendingAskCount": .number(pending)])
  }

  /// Notes that the record of a session was written to the disk, and announces its changes.
  package func write(_ session: LiveSession) {
    variant.didWrite?(session)
    announceSummary(of: session)
  }

  /// The contents of the disk, of which the variant may have older records.
  package func archive(_ record: (LiveSession) -> SessionRecord) -> Archive {
    Archive(sessions: all.values.map { record($0).reopened(with: $0.record) }, uploads: uploads)
  }
}

/// The data of a host that survives its end.
package struct Archive: Sendable {
  package var sessions: [SessionRecord] = []
  var uploads: [String: Upload] = [:]
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
    guard let agent = session.agent else { return emitBeforeStart(type, members, session) }
    let event: SessionEvent = (type, members)
    for (type, members) in variant.events?(event, session, self) ?? [event] {
      var event = JSONValue.object(members).adding(["type": .string(type)])
      if variant.storedEvents.contains(type) { event = agent.log.append(event) }
      for (_, viewer) in viewers.sorted(by: { $0.key < $1.key })
      where viewer.session?.id == session.id && viewer.session?.agent == agent.number {
        viewer.outlet(event, session.id)
      }
      variant.didSend?(event, session, self)
    }
    if Self.commonEvents.contains(type) {
      announce(type, members, about: session)
    } else if type == "error" {
      announce("session_error", ["message": members["error"]], about: session)
    }
  }

  /// Sends an event of a dialog to those who wait for the start of its session.
  private func emitBeforeStart(_ type: String, _ members: JSONObject, _ session: LiveSession) {
    guard session.starter != nil, Self.commonEvents.contains(type) else { return }
    let event = JSONValue.object(members).adding(["type": .string(type)])
    for (_, opener) in openers.sorted(by: { $0.key < $1.key })
    where opener.sessionID == session.id {
      opener.outlet(event, session.id)
    }
    announce(type, members, about: session)
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

  package func emitError(_ text: String, from session: LiveSession) {
    emit("error", ["error": .string(text)], from: session)
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
    ]).adding(members)
    for (_, viewer) in viewers.sorted(by: { $0.key < $1.key }) where viewer.session == nil {
      viewer.outlet(event, nil)
    }
  }
}

/// A client that sees the events of one session's agent, or of all sessions.
struct Viewer {
  let outlet: Outlet
  /// The session and the number of its agent; `nil` for all sessions.
  var session: (id: String, agent: Int)?
}
