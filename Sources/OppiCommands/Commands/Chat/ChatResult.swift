// SPDX-License-Identifier: MIT

import OppiIntents
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
      var isTooLate = false
      var news = await told(of: .answer(id: request.id)) { () async throws(IntentError) in
        let outcome = try await decide(decision, request, over: stream)
        isTooLate = outcome == .tooLate
        return outcome.notice(of: decision)
      }
      if isTooLate { news.outcome = .tooLate }
      return .performed(news)
    case .answer(let question, let answer):
      var outcome: DecisionOutcome?
      var news = await told(of: .answer(id: question.id)) { () async throws(IntentError) in
        outcome = try await self.answer(question, with: answer, over: stream)
        return outcome?.notice(of: answer)
      }
      if outcome == .tooLate { news.outcome = .tooLate }
      if outcome == .changed {
        (news.outcome, news.present) = (.failed, try? await present(question))
      }
      return .performed(news)
    case .change(let message, let id):
      return .performed(
        await told(of: .change(id: id)) { () async throws(IntentError) in
          try await change(message, id: id, over: stream)
          return nil
        }
      )
    case .lookAround, .read, .remember, .say, .print, .printRows, .printMessage, .giveBack, .leave:
      return nil
    }
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
