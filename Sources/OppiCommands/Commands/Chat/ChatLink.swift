// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiTransport

/// Carries a chat's messages and answers to the server.
struct ChatLink: Sendable {
  /// What came of an effect.
  enum Result: Sendable {
    case done(String?)
    /// An answer that did not arrive is to be asked for again.
    case failed(String, id: String?)
  }

  private static let limit = Duration.seconds(10)

  let session: ServerSession
  let api: IntentAPIClient
  let newID: @Sendable () -> String

  /// Performs an effect that needs the server.
  func perform(_ effect: ChatState.Effect, over stream: IntentWebSocket?) async -> Result {
    do {
      switch effect {
      case .stopTurn: return .done(try await stop())
      case .decide(let request, let decision):
        return try await decide(request, decision, over: stream)
      case .answer(let id, let answer):
        try await send(.answer(questionID: id, answer), over: stream)
        return .done("answered")
      default: return .done(nil)
      }
    } catch {
      return .failed(OppiError(error).message, id: effect.answeredID)
    }
  }

  /// Sends what a delivery asks for; a stream that breaks is the feed's to tell.
  func send(_ requests: [PromptDelivery.Request], over stream: IntentWebSocket?) async {
    try? await stream?.send(requests, to: session.id, until: api.loop.now + Self.limit)
  }

  /// Asks how the session stands; `nil` where the server cannot be asked.
  func look(since sequence: Int?, in workspaceID: String?) async -> PromptDelivery.Sighting? {
    var session = session
    session.workspaceID = session.workspaceID ?? workspaceID
    return try? await api.sighting(of: session, since: sequence, until: api.loop.now + Self.limit)
  }

  /// Stops the turn as 'oppi stop' does: a request that waits for approval is denied first.
  private func stop() async throws(IntentError) -> String? {
    switch try await StopTurn(api: api, newID: newID).stopTurn(of: session) {
    case .alreadyIdle: "there was nothing to stop"
    case .failed(let reason): "the turn did not stop: \(reason.safeLine())"
    case .stopped, .sessionEnded: nil
    }
  }

  private func send(
    _ message: ClientMessage,
    over stream: IntentWebSocket?
  ) async throws(IntentError) {
    guard let stream else { throw .hungUp(server: session.server.name) }
    try await stream.send(
      [.init(message, id: newID())],
      to: session.id,
      until: api.loop.now + Self.limit
    )
  }

  private func decide(
    _ request: PermissionRequest,
    _ decision: PermissionDecision,
    over stream: IntentWebSocket?
  ) async throws(IntentError) -> Result {
    let decider = PermissionDecider(api: api, newID: newID)
    let outcome = try await decider.decide(decision, request) {
      (message, _, _) async throws(IntentError) in try await send(message, over: stream)
    }
    return switch outcome {
    case .decided: .done(decision == .allow ? "allowed once" : "denied")
    case .tooLate: .done("already decided")
    case .unconfirmed: .done("sent; this server does not confirm it")
    }
  }
}

extension ChatState.Effect {
  /// The request or question that the effect answers.
  fileprivate var answeredID: String? {
    switch self {
    case .decide(let request, _): request.id
    case .answer(let id, _): id
    default: nil
    }
  }
}
