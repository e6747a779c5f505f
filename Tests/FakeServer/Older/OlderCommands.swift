// SPDX-License-Identifier: MIT

import OppiHost
import OppiText

/// The commands of servers before session sockets.
extension FakeVariant {
  private static let busyText = """
    Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue \
    the message.
    """

  /// Performs a command; returns false for one that today's servers perform in the same way.
  func perform(
    _ request: ClientRequest,
    _ agent: LoadedAgent,
    _ sessions: isolated Sessions
  ) throws(StreamError) -> Bool {
    let session = agent.session
    switch request.type {
    case "prompt": try prompt(request, agent, sessions)
    case "steer": try sessions.enqueue(Self.plain(request), as: .steer, behind: agent)
    case "follow_up": try sessions.enqueue(Self.plain(request), as: .followUp, behind: agent)
    case "stop": stop(request, agent, sessions)
    case "get_state": sessions.emitState(session)
    case "set_model":
      try sessions.setModel(request, of: session)
      remember(model: session.model, in: session.workspace)
    case "set_thinking_level":
      sessions.setThinkingLevel(request, of: session)
      remember(thinkingLevel: session.thinkingLevel ?? "", of: session.model)
    default: return false
    }
    return true
  }

  /// A prompt without files, which older servers ignore; if its text is missing, the error is that
  /// of the real server.
  private static func plain(_ request: ClientRequest) throws(StreamError) -> ClientRequest {
    guard request.message["message"].string != nil else {
      throw .protocolError("Cannot read properties of undefined (reading 'length')")
    }
    let message = request.message.removing(["images", "attachments"])
    return ClientRequest(outlet: request.outlet, type: request.type, message: message)
  }

  /// Accepts a prompt; if the agent is busy or rejects it, the prompt is acknowledged and lost.
  private func prompt(
    _ request: ClientRequest,
    _ agent: LoadedAgent,
    _ sessions: isolated Sessions
  ) throws(StreamError) {
    let session = agent.session
    let request = try Self.plain(request)
    let text = request.message["message"].string ?? ""
    guard try sessions.accept(request, by: agent) else { return }
    session.record.count(text, on: loop)
    let item = sessions.item(text, of: request)
    guard agent.isBusy else {
      return sessions.hand(item, to: agent) {
        sessions.reply(to: request, about: session)
      }
    }
    // A prompt that asked to be queued is shown in the queue although it is not queued.
    if let behaviour = request.message["streamingBehavior"].string {
      agent.queue.append(item, as: behaviour == "steer" ? .steer : .followUp)
      sessions.emitQueue(session)
      agent.queue.remove(item.id)
    }
    sessions.emitError(Self.busyText, from: session)
    sessions.reply(to: request, about: session)
  }

  // MARK: - Stopping

  /// Stops the run; a pending request for approval stays pending.
  ///
  /// A second stop is confirmed as if the session were idle. The queue of the first servers stays,
  /// and runs after the next prompt.
  private func stop(
    _ request: ClientRequest,
    _ agent: LoadedAgent,
    _ sessions: isolated Sessions
  ) {
    let session = agent.session
    let isActive = agent.run?.isActive == true
    if !isActive, agent.run?.stop != nil { sessions.confirmIdleStop(of: session) }
    let queue = agent.queue
    sessions.stop(request, agent)
    guard isActive else { return }
    if dialect.isFirst { agent.queue = queue }
    guard !permissions(of: session).isEmpty else { return }
    sessions.background.start { [self, id = session.id] in await watchStop(in: id, sessions) }
  }

  /// Reports a stop that waits for an approval as failed; the run still ends after the decision.
  private func watchStop(in id: String, _ sessions: isolated Sessions) async {
    guard let session = sessions.all[id], let run = session.agent?.run else { return }
    let timeout = configuration.limits.stopTimeouts
    guard await sessions.wait(for: run.ended, atMost: timeout.first) == nil, run.stop == .turn
    else { return }
    let milliseconds = timeout.first.milliseconds
    let reason = "Graceful stop timed out after \(milliseconds)ms; retrying abort"
    let members: JSONObject = ["source": "server", "reason": .string(reason)]
    sessions.emit("stop_requested", members, from: session)
    guard await sessions.wait(for: run.ended, atMost: timeout.second) == nil, run.stop == .turn
    else { return }
    session.status = .busy
    run.stop = nil
    sessions.emitChange(session)
    sessions.emit(
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
