// SPDX-License-Identifier: MIT

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
      case .send(let text, let kind):
        try await send(message(text, kind), over: stream)
        return .done(kind == .followUp ? "queued" : nil)
      case .stopTurn:
        try await send(.stop, over: stream)
        return .done(nil)
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

  private func message(_ text: String, _ kind: ChatState.ClientMessageKind) -> ClientMessage {
    let turn = ClientMessage.Turn(text: text, clientTurnID: newID())
    return switch kind {
    case .prompt: .prompt(turn)
    case .followUp: .followUp(turn)
    case .steer: .steer(turn)
    }
  }

  private func send(
    _ message: ClientMessage,
    over stream: IntentWebSocket?
  ) async throws(IntentError) {
    guard let stream else { throw .hungUp(server: session.server.name) }
    try await stream.send([.init(message, id: newID())], to: session.id, until: .now + Self.limit)
  }

  private func decide(
    _ request: PermissionRequest,
    _ decision: PermissionDecision,
    over stream: IntentWebSocket?
  ) async throws(IntentError) -> Result {
    let decider = PermissionDecider(api: api, newID: newID)
    let isInTime = try await decider.decide(decision, request, of: session) {
      (message, _, _) async throws(IntentError) in try await send(message, over: stream)
    }
    guard isInTime else { return .done("already decided") }
    return .done(decision == .allow ? "allowed once" : "denied")
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
