// SPDX-License-Identifier: MIT

import EventLoop
import OppiText
import OppiWire

// MARK: - The start

extension Sessions {
  /// Loads a session's agent unless it is loaded; waits for a current start.
  ///
  /// If the start is rejected, the session is unchanged. If it fails, the session stays `starting`.
  package func start(_ session: LiveSession) async throws(Refusal) {
    if let start = session.start { _ = await start.value() }
    guard session.agent == nil else { return }
    try variant.willStart?(session, self)
    session.status = .starting
    write(session)
    let start = Promise<Bool>()
    session.start = start
    defer { start.keep(true) }
    do {
      try await variant.prepareStart?(session.workspace)
      if configuration.asksForTrust { await askForTrust(of: session) }
      session.start = nil
    } catch {
      session.start = nil
      throw error
    }
    guard let model = variant.model(session) else {
      session.status = .error
      write(session)
      throw .unavailable(model: session.model, sessionID: session.id)
    }
    session.model = model.id
    session.thinkingLevel = session.thinkingLevel ?? ThinkingLevel.medium.rawValue
    session.starts += 1
    session.agent = LoadedAgent(
      of: session,
      epoch: variant.hasEpochs ? loop.makeUUID() : nil,
      limits: configuration.limits
    )
    session.status = .ready
    write(session)
  }
}

extension Refusal {
  /// The model of a session cannot be used.
  static func unavailable(model: String, sessionID: String) -> Refusal {
    let models = Model.all.map(\.id).joined(separator: ", ")
    return Refusal(
      409,
      "Model \"\(model)\" is not available. Available models: \(models)",
      ["sessionId": .string(sessionID)]
    )
  }
}

// MARK: - The end

extension Sessions {
  /// Ends a session for a client, after the time that this takes.
  package func endSlowly(_ session: LiveSession) async {
    let delay = configuration.limits.sessionEnd
    if delay > .zero { try? await loop.sleep(until: loop.now + delay) }
    await end(session)
  }

  package func delete(_ session: LiveSession) async {
    if let start = session.start { _ = await start.value() }
    await end(session)
    all[session.id] = nil
    announce("session_deleted", about: session)
  }

  /// Stops and unloads the agent, forcibly if its run does not end in time.
  ///
  /// A session without an agent is marked as stopped, even while its agent starts.
  package func end(_ session: LiveSession, timeout: Duration? = nil) async {
    guard let agent = session.agent else {
      session.status = .stopped
      return write(session)
    }
    requestStop(of: agent.run, .session, in: session)
    cancelQuestions(of: agent)
    var isForced = false
    if let run = agent.run {
      let timeout = timeout ?? configuration.limits.endTimeout
      isForced = await wait(for: run.ended, atMost: timeout) == nil
    }
    // Another end may have finished meanwhile.
    guard session.agent === agent else { return }
    unload(session, isForced: isForced)
  }

  private func unload(_ session: LiveSession, isForced: Bool) {
    let finish = variant.willUnload?(session)
    let milliseconds = configuration.limits.endTimeout.milliseconds
    let reason = JSONValue.string("Stop session timed out after \(milliseconds)ms")
    let members: JSONObject = ["source": "user", "reason": isForced ? reason : nil]
    emit("stop_confirmed", members, from: session)
    emit("session_ended", ["reason": "stopped"], from: session)
    session.agent = nil
    session.status = .stopped
    write(session)
    // The runs find their agent unloaded.
    finish?()
  }
}

// MARK: - Stopping a run

extension Sessions {
  /// Stops the run; confirms the stop of an idle session at once.
  package func stop(_ request: ClientRequest, _ agent: LoadedAgent) {
    let session = agent.session
    guard let run = agent.run, run.isActive else {
      if agent.run?.stop == nil { confirmIdleStop(of: session) }
      return reply(to: request, about: session)
    }
    requestStop(of: run, .turn, in: session)
    agent.queue.removeAll()
    emitQueue(session)
    cancelQuestions(of: agent)
    reply(to: request, about: session)
  }

  package func confirmIdleStop(of session: LiveSession) {
    let members: JSONObject = ["source": "user", "reason": "Session already idle"]
    emit("stop_confirmed", members, from: session)
  }

  /// Ends the pause before a retry, and with it the run.
  func abortRetry(_ request: ClientRequest, _ agent: LoadedAgent) async {
    let session = agent.session
    if let run = agent.run, let pause = run.pause {
      pause.keep(.aborted)
      _ = await run.ended.value()
    }
    broadcast(request, ["success": true], of: session)
  }

  private func requestStop(of run: Run?, _ stop: Run.Stop, in session: LiveSession) {
    run?.stop = stop
    emit("stop_requested", ["source": "user"], from: session)
    session.status = .stopping
    emitChange(session)
    run?.abort()
  }
}
