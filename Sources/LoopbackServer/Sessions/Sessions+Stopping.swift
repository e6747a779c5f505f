// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

extension Sessions {
  /// Asks the run to stop; a request for approval is not released by that.
  func stop(_ request: StreamRequest, in session: LiveSession, _ agent: Agent) {
    guard let run = agent.run else {
      emit(
        "stop_confirmed",
        ["source": "user", "reason": "Session already idle"],
        from: session
      )
      return reply(to: request, about: session)
    }
    requestStop(of: run, .turn, in: session)
    agent.queue.removeAll()
    emitQueue(session)
    agent.question?.answer.keep(nil)
    reply(to: request, about: session)
    if permissions.values.contains(where: { $0.sessionID == session.id }) {
      let id = session.id
      background.start { await self.watchStop(in: id) }
    }
  }

  /// Stops the agent and unloads it; returns the session's object.
  func end(_ id: String) async throws(Refusal) -> JSONValue {
    let session = try session(id)
    await end(session)
    return json(session)
  }

  func delete(_ id: String) async throws(Refusal) {
    let session = try session(id)
    if let start = session.start { _ = await start.value() }
    await end(session)
    all[id] = nil
  }

  func end(_ session: LiveSession) async {
    guard let agent = session.agent else {
      session.status = .stopped
      return
    }
    let cancelled = pendingPermissions(of: session)
    if let run = agent.run {
      requestStop(of: run, .session, in: session)
      agent.question?.answer.keep(nil)
      for permission in cancelled { permission.decision.keep(.denied("Session ended")) }
      _ = await run.ended.value()
    } else {
      requestStop(of: nil, .session, in: session)
    }
    // Two ends at once have one effect.
    guard session.agent === agent else { return }
    emit("stop_confirmed", ["source": "user"], from: session)
    for permission in cancelled { pushEnd("permission_cancelled", of: permission) }
    emit("session_ended", ["reason": "stopped"], from: session)
    session.agent = nil
    session.status = .stopped
  }

  private func requestStop(of run: Run?, _ stop: Run.Stop, in session: LiveSession) {
    run?.stop = stop
    emit("stop_requested", ["source": "user"], from: session)
    session.status = .stopping
    emitState(session)
    run?.interruption.keep(true)
  }

  /// Gives a stop up that waits for a human.
  private func watchStop(in id: String) async {
    guard let session = all[id], let run = session.agent?.run else { return }
    let patience = configuration.limits.stopPatience
    try? await loop.sleep(until: .now + patience.first)
    guard session.agent?.run === run, !Task.isCancelled else { return }
    let milliseconds = patience.first.milliseconds
    emit(
      "stop_requested",
      [
        "source": "server",
        "reason": .string("Graceful stop timed out after \(milliseconds)ms; retrying abort"),
      ],
      from: session
    )
    try? await loop.sleep(until: .now + patience.second)
    guard session.agent?.run === run, !Task.isCancelled else { return }
    session.status = .busy
    run.stop = nil
    emitState(session)
    emit("stop_failed", ["source": "server", "reason": "Stop timed out"], from: session)
  }
}
