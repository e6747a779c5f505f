// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

// MARK: - The start

extension Sessions {
  /// Loads a session's agent unless it is loaded; waits for a current start.
  ///
  /// If the start is rejected, the session is unchanged. If it fails, the session stays `starting`.
  func start(_ session: LiveSession) async throws(Refusal) {
    if let start = session.start { _ = await start.value() }
    guard session.agent == nil else { return }
    try checkLimits(session)
    session.status = .starting
    write(session)
    await prepareStart(of: session)
    if let failure = starts.failure(in: session.workspace.id) { throw Refusal(500, failure) }
    try resolveModel(of: session)
    load(session)
  }

  /// Waits for earlier starts in the same workspace, and then for the start delay.
  private func prepareStart(of session: LiveSession) async {
    let workspaceID = session.workspace.id
    guard let start = starts.begin(in: workspaceID) else { return }
    session.start = start.end
    _ = await start.previous?.value()
    if start.delay > .zero { try? await loop.sleep(until: loop.now + start.delay) }
    session.start = nil
    starts.end(start, in: workspaceID)
  }

  private func load(_ session: LiveSession) {
    if dialect.remembersChoices { choices.choose(model: session.model, in: session.workspace.id) }
    session.thinkingLevel =
      session.thinkingLevel ?? choices.thinkingLevel(of: session.model)
      ?? ThinkingLevel.medium.rawValue
    session.starts += 1
    session.agent = Agent(
      number: session.starts,
      epoch: loop.makeUUID(),
      limits: configuration.limits
    )
    session.status = .ready
    write(session)
  }

  /// Finds the model of an agent; replaces an unknown one, or does not start the agent.
  private func resolveModel(of session: LiveSession) throws(Refusal) {
    if dialect.replacesUnknownModels {
      if Model.named(session.model) == nil { session.model = Model.defaultID }
    } else if let model = Model.matching(session.model) {
      session.model = model.id
    } else {
      session.status = .error
      write(session)
      throw .unavailable(model: session.model, sessionID: session.id)
    }
  }

  private func checkLimits(_ session: LiveSession) throws(Refusal) {
    let usual = dialect.sessionLimits
    let perWorkspace = configuration.limits.loadedSessionsPerWorkspace ?? usual.perWorkspace
    let total = configuration.limits.loadedSessions ?? usual.total
    let loaded = all.values.filter { $0.agent != nil || $0.start != nil }
    guard loaded.count(where: { $0.workspace.id == session.workspace.id }) < perWorkspace else {
      throw Refusal(
        500,
        "Workspace session limit reached (\(perWorkspace))",
        code: "SESSION_LIMIT_WORKSPACE"
      )
    }
    guard loaded.count < total else {
      throw Refusal(
        500,
        "Global session limit reached (\(total))",
        code: "SESSION_LIMIT_GLOBAL"
      )
    }
  }

  func resume(_ id: String, in workspaceID: String) async throws(Refusal) -> JSONValue {
    let session = try session(id)
    guard session.workspace.id == workspaceID else {
      throw Refusal(400, "Session does not belong to this workspace")
    }
    return try await resume(id)
  }

  func resume(_ id: String) async throws(Refusal) -> JSONValue {
    let session = try session(id)
    do {
      try await start(session)
    } catch {
      // A model that is not available is a conflict only when a session is created.
      throw Refusal(500, error.text)
    }
    return shown(session)
  }
}

// MARK: - The end

extension Sessions {
  func end(_ id: String) async throws(Refusal) -> JSONValue {
    let session = try session(id)
    let delay = configuration.limits.sessionEnd
    if delay > .zero { try? await loop.sleep(until: loop.now + delay) }
    await end(session)
    return shown(session)
  }

  func delete(_ id: String) async throws(Refusal) {
    let session = try session(id)
    if let start = session.start { _ = await start.value() }
    await end(session)
    remove(session)
    announce("session_deleted", about: session)
  }

  /// Stops and unloads the agent, forcibly if its run does not end in time.
  ///
  /// A session without an agent is marked as stopped, even while its agent starts.
  func end(_ session: LiveSession, patience: Duration? = nil) async {
    guard let agent = session.agent else {
      session.status = .stopped
      return write(session)
    }
    requestStop(of: agent.run, .session, in: session)
    cancelQuestions(of: agent, in: session)
    var isForced = false
    if let run = agent.run {
      let patience = patience ?? configuration.limits.endPatience
      isForced = await wait(for: run.ended, atMost: patience) == nil
    }
    // Another end may have finished meanwhile.
    guard session.agent === agent else { return }
    unload(session, isForced: isForced)
  }

  private func unload(_ session: LiveSession, isForced: Bool) {
    let pending = permissions.all(of: session)
    for permission in pending {
      permissions.withdraw(permission)
      if dialect.explainsForcedEnds { pushEnd("permission_cancelled", of: permission) }
    }
    let milliseconds = configuration.limits.endPatience.milliseconds
    let isExplained = isForced && dialect.explainsForcedEnds
    emit(
      "stop_confirmed",
      [
        "source": "user",
        "reason": isExplained
          ? .string("Stop session timed out after \(milliseconds)ms") : nil,
      ],
      from: session
    )
    emit("session_ended", ["reason": "stopped"], from: session)
    session.agent = nil
    session.status = .stopped
    write(session)
    // The runs find their agent unloaded.
    for permission in pending { permission.decision.keep(.denied("Session ended")) }
  }

  /// Ends all loaded sessions, without waiting for pending approvals.
  func endAll() async {
    for (_, session) in all.sorted(by: { $0.key < $1.key }) where session.agent != nil {
      let isHeld = !permissions.all(of: session).isEmpty
      await end(session, patience: isHeld ? .zero : nil)
    }
  }
}

// MARK: - Fault injection

extension Sessions {
  func restartAgents() async {
    for (_, session) in all.sorted(by: { $0.key < $1.key }) where session.agent != nil {
      await end(session)
      _ = try? await resume(session.id)
    }
  }

  func setStartFailure(_ text: String?, inWorkspace id: String) {
    starts.setFailure(text, in: id)
  }

  func setAgentStartDelay(_ delay: Duration?, inWorkspace id: String) {
    starts.setDelay(delay, in: id)
  }
}
