// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// A session that is created with its prompt, on servers that recognise a repeated request.
extension AskPi {
  /// Determines the result of the request that creates the session with the prompt, which an earlier
  /// process made.
  ///
  /// Repeats the request only if it cannot run twice, and never unless `mayRepeat`. `elapsed` is an
  /// upper bound of the time since it was made.
  ///
  /// - Throws: `AskFailure` if the agent is not known to have the prompt.
  func relaunch(
    _ request: AskRequest,
    since elapsed: Duration,
    mayRepeat: Bool
  ) async throws(AskFailure) -> AskDelivery {
    guard case .newSession(let target) = request.target,
      target.server.dialect?.creation == .idempotent
    else {
      throw AskFailure(
        delivery: .unknown(.agentGone),
        cause: nil,
        server: api.serverName,
        clientTurnID: request.clientTurnID
      )
    }
    let launch = SessionLaunch(
      of: request.prompt.text,
      resumedAfter: elapsed,
      mayRepeat: mayRepeat,
      limits: limits.delivery
    )
    let outcome = try await perform(launch, of: request, in: target, since: api.loop.now)
    return AskDelivery(outcome: outcome)
  }

  func launch(
    _ request: AskRequest,
    in target: ServerWorkspace,
    since begin: EventLoop.Instant
  ) async throws(AskFailure) -> AskOutcome {
    let launch = SessionLaunch(of: request.prompt.text, limits: limits.delivery)
    return try await perform(launch, of: request, in: target, since: begin)
  }

  private func perform(
    _ launch: SessionLaunch,
    of request: AskRequest,
    in target: ServerWorkspace,
    since begin: EventLoop.Instant
  ) async throws(AskFailure) -> AskOutcome {
    var run = LaunchRun(launch, of: request, in: target.workspace, over: self, since: begin)
    return try await run.perform()
  }
}
