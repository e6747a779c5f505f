// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiTransport

extension ChatLink {
  /// Performs an effect that needs the server, and returns its news.
  func perform(_ effect: ChatEffect, over stream: IntentWebSocket?) async -> ChatNews? {
    switch effect {
    case .carry(let errand): return await perform(errand, over: stream).map(ChatNews.looked)
    case .stopTurn:
      return .performed(
        await told(of: .stop) { () async throws(IntentError) in try await stop().notice }
      )
    case .decide(let request, let decision):
      return .performed(
        await told(of: .decision(decision), to: .permission(request)) {
          () async throws(IntentError) in try await decide(decision, request, over: stream)
        }
      )
    case .answer(let question, let answer):
      return .performed(
        await told(of: .answer(answer), to: .question(question)) {
          () async throws(IntentError) in
          try await self.answer(question, with: answer, over: stream)
        }
      )
    case .change(let message, let id):
      return .performed(
        await told(of: .change(id: id)) { () async throws(IntentError) in
          try await change(message, id: id, over: stream)
          return nil
        }
      )
    case .lookAround, .read, .remember, .say, .print, .printRows, .printMessage, .settled,
      .giveBack, .leave:
      return nil
    }
  }

  /// Sends a reply to a request, and returns its outcome.
  private func told(
    of reply: RequestReply,
    to request: HumanRequest,
    _ send: () async throws(IntentError) -> DecisionOutcome
  ) async -> ChatResult {
    var outcome: DecisionOutcome?
    var result = await told(of: .answer(id: request.id)) { () async throws(IntentError) in
      outcome = try await send()
      return outcome?.notice(of: reply)
    }
    result.line = outcome.map { reply.line(about: request, $0) }
    if outcome == .tooLate { result.outcome = .tooLate }
    if outcome == .changed {
      result.outcome = .failed
      result.present = try? await present(request)
    }
    return result
  }

  private func told(
    of kind: ChatResult.Kind,
    _ body: () async throws(IntentError) -> String?
  ) async -> ChatResult {
    do {
      return ChatResult(kind: kind, text: try await body())
    } catch {
      return ChatResult(
        kind: kind,
        text: "failed: \(OppiError(error).message)",
        outcome: .failed
      )
    }
  }
}

extension StopTurn.Outcome {
  fileprivate var notice: String? {
    switch self {
    case .alreadyIdle: "no turn is running"
    case .failed(let reason): "the turn did not stop: \(reason.safeLine())"
    case .stopped, .sessionEnded: nil
    }
  }
}

extension ChatMail.Settled {
  /// The notice about a message that the agent is not known to have, on one line.
  var notice: String? {
    let line = "'\(text.safeLine(limit: 60))'"
    return switch verdict {
    case .delivered: nil
    // The agent's reason is already shown as the end of a turn.
    case .notSent, .refused(.agentRefused): "not sent: \(line)"
    case .refused(let refusal):
      "not sent: \(line): \(OppiError(refusal, server: "the server").message)"
    case .unknown: "delivery unknown, not resent: \(line)"
    }
  }
}
