// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// A session that is created with its prompt, on servers that recognise a repeated request.
extension AskPi {
  /// Repeats the request that creates the session with the prompt, which an earlier process made.
  ///
  /// - Throws: `AskFailure` if the agent is not known to have the prompt.
  package func relaunch(
    _ request: AskRequest,
    mayRepeat: Bool
  ) async throws(AskFailure) -> AskDelivery {
    guard case .newSession(let target) = request.target, mayRepeat,
      target.server.dialect?.creation == .idempotent
    else {
      throw AskFailure(
        delivery: .unknown(mayRepeat ? .agentGone : .lost),
        cause: nil,
        server: api.serverName,
        clientTurnID: request.clientTurnID
      )
    }
    let begin = api.loop.now
    let outcome = try await launch(request, in: target, since: begin, isRepeat: true)
    return AskDelivery(outcome: outcome)
  }

  func launch(
    _ request: AskRequest,
    in target: ServerWorkspace,
    since begin: EventLoop.Instant,
    isRepeat: Bool = false
  ) async throws(AskFailure) -> AskOutcome {
    var new = NewSession(
      workspaceID: target.workspace.id,
      name: request.lastingTitle ?? request.prompt.title,
      model: nil
    )
    new.thinking = request.level
    new.key = request.clientTurnID
    if let id = request.newModel {
      do throws(IntentError) {
        let deadline = stepEnd(since: begin)
        new.model = try await models.model(id, of: target.server, over: api, until: deadline)
      } catch  where !isRepeat {
        throw AskFailure(notSent: request, because: error)
      } catch {
        throw AskFailure(
          delivery: .unknown(.lost),
          cause: error,
          server: api.serverName,
          clientTurnID: request.clientTurnID
        )
      }
    }
    var run = LaunchRun(
      new,
      of: request,
      over: api,
      limits: limits,
      since: begin,
      journal: journal,
      isRepeat: isRepeat
    )
    return try await run.perform()
  }
}
