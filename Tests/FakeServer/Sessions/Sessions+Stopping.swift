// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

extension Sessions {
  /// Stops the run; a pending request for approval stays pending.
  ///
  /// If a stop is already in progress, or nothing runs, reports the session as idle.
  func stop(_ request: StreamRequest, in session: LiveSession, _ agent: Agent) {
    guard let run = agent.run, run.isActive else {
      if dialect.confirmsFalsely || agent.run?.stop == nil {
        emit(
          "stop_confirmed",
          ["source": "user", "reason": "Session already idle"],
          from: session
        )
      }
      return reply(to: request, about: session)
    }
    requestStop(of: run, .turn, in: session)
    if dialect.emptiesQueueAtStop {
      agent.queue.removeAll()
      emitQueue(session)
    }
    cancelQuestions(of: agent, in: session)
    reply(to: request, about: session)
    if !permissions.all(of: session).isEmpty {
      let id = session.id
      background.start { await self.watchStop(in: id) }
    }
  }

  /// Ends the pause before a retry, and with it the run.
  func abortRetry(_ request: StreamRequest, in session: LiveSession, _ agent: Agent) async {
    if let run = agent.run, let pause = run.pause {
      pause.keep(.aborted)
      _ = await run.ended.value()
    }
    broadcast(request, ["success": true], of: session)
  }

  func requestStop(of run: Run?, _ stop: Run.Stop, in session: LiveSession) {
    run?.stop = stop
    emit("stop_requested", ["source": "user"], from: session)
    session.status = .stopping
    emitChange(session)
    run?.abort()
  }

  /// Reports a stop that waits for an approval as failed; the run still ends after the decision.
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
    emitChange(session)
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
