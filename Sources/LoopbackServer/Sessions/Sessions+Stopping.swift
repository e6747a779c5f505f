// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

extension Sessions {
  /// Asks the run to stop; a request for approval is not released by that.
  ///
  /// Where a stop is under way already, or nothing runs, the session is said to be idle.
  func stop(_ request: StreamRequest, in session: LiveSession, _ agent: Agent) {
    guard let run = agent.run, run.stop == nil, run.pause == nil else {
      emit(
        "stop_confirmed",
        ["source": "user", "reason": "Session already idle"],
        from: session
      )
      return reply(to: request, about: session)
    }
    requestStop(of: run, .turn, in: session)
    if dialect.emptiesQueueAtStop {
      agent.queue.removeAll()
      emitQueue(session)
    }
    agent.question?.cancel()
    reply(to: request, about: session)
    if !pendingPermissions(of: session).isEmpty {
      let id = session.id
      background.start { await self.watchStop(in: id) }
    }
  }

  /// Ends the pause before another attempt of the model, and with it the run.
  func abortRetry(_ request: StreamRequest, in session: LiveSession, _ agent: Agent) async {
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
    emitState(session)
    run?.abort()
  }

  /// Gives a stop up that waits for a human; the run still ends when the human has answered.
  private func watchStop(in id: String) async {
    guard let session = all[id], let run = session.agent?.run else { return }
    let patience = configuration.limits.stopPatience
    guard await wait(for: run.ended, atMost: patience.first) == nil, run.stop == .turn else {
      return
    }
    let milliseconds = patience.first.milliseconds
    emit(
      "stop_requested",
      [
        "source": "server",
        "reason": .string("Graceful stop timed out after \(milliseconds)ms; retrying abort"),
      ],
      from: session
    )
    guard await wait(for: run.ended, atMost: patience.second) == nil, run.stop == .turn else {
      return
    }
    session.status = .busy
    run.stop = nil
    emitState(session)
    emit(
      "stop_failed",
      [
        "source": "server",
        "reason": """
        Stop timed out — the agent may still be processing. You can send another message or \
        stop the session.
        """,
      ],
      from: session
    )
  }
}

// MARK: - The end of sessions

extension Sessions {
  /// Stops the agent and unloads it; returns the session's object.
  func end(_ id: String) async throws(Refusal) -> JSONValue {
    let session = try session(id)
    await end(session)
    return shown(session)
  }

  func delete(_ id: String) async throws(Refusal) {
    let session = try session(id)
    if let start = session.start { _ = await start.value() }
    await end(session)
    all[id] = nil
  }

  /// Stops the agent and unloads it, by force where its run does not end in time.
  ///
  /// A session that is not loaded is marked as stopped, even while its agent starts.
  func end(_ session: LiveSession, patience: Duration? = nil) async {
    guard let agent = session.agent else {
      session.status = .stopped
      return write(session)
    }
    requestStop(of: agent.run, .session, in: session)
    agent.question?.cancel()
    var isForced = false
    if let run = agent.run {
      let patience = patience ?? configuration.limits.endPatience
      isForced = await wait(for: run.ended, atMost: patience) == nil
    }
    // Two ends at once have one effect.
    guard session.agent === agent else { return }
    unload(session, isForced: isForced)
  }

  private func unload(_ session: LiveSession, isForced: Bool) {
    let pending = pendingPermissions(of: session)
    for permission in pending {
      permissions[permission.id] = nil
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
    // Their run finds its agent gone.
    for permission in pending { permission.decision.keep(.denied("Session ended")) }
  }
}
