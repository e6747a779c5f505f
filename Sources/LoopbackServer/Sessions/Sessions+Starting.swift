// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

extension Sessions {
  /// Loads a session's agent unless it is loaded; waits for a start that is under way.
  ///
  /// Where the start is refused the session stays as it was, and where it fails it stays `starting`.
  func start(_ session: LiveSession) async throws(Refusal) {
    if let start = session.start { _ = await start.value() }
    guard session.agent == nil else { return }
    try checkLimits(session)
    session.status = .starting
    write(session)
    await prepareStart(of: session)
    if let failure = startFailures[session.workspace.id] { throw Refusal(500, failure) }
    load(session)
  }

  /// Waits for the starts before in the same workspace, and then as long as a start takes.
  private func prepareStart(of session: LiveSession) async {
    let workspaceID = session.workspace.id
    let delay = agentStartDelays[workspaceID] ?? configuration.agentStartDelay
    let previous = latestStarts[workspaceID]
    guard delay > .zero || previous != nil else { return }
    let start = Promise<Bool>()
    session.start = start
    latestStarts[workspaceID] = start
    _ = await previous?.value()
    if delay > .zero { try? await loop.sleep(until: loop.now + delay) }
    session.start = nil
    if latestStarts[workspaceID] === start { latestStarts[workspaceID] = nil }
    start.keep(true)
  }

  private func load(_ session: LiveSession) {
    if Model.named(session.model) == nil { session.model = Model.defaultID }
    lastModels[session.workspace.id] = session.model
    session.thinkingLevel =
      session.thinkingLevel ?? lastThinkingLevels[session.model] ?? ThinkingLevel.medium.rawValue
    session.starts += 1
    session.agent = Agent(number: session.starts, limits: configuration.limits)
    session.status = .ready
    write(session)
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

  // MARK: - Faults that come and go

  func setStartFailure(_ text: String?, inWorkspace id: String) {
    startFailures[id] = text
  }

  func setAgentStartDelay(_ delay: Duration?, inWorkspace id: String) {
    agentStartDelays[id] = delay
  }
}
