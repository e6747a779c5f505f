// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiTransport

/// What came of something that the user did, in the chat's words.
enum ChatResult: Sendable {
  case done(String?)
  /// An answer that did not arrive is to be asked for again.
  case failed(String, id: String?)
}

extension ChatLink {
  /// Performs an effect that needs the server.
  func perform(_ effect: ChatState.Effect, over stream: IntentWebSocket?) async -> ChatResult {
    do {
      switch effect {
      case .stopTurn: return .done(try await stop().notice)
      case .decide(let request, let decision):
        let outcome = try await decide(decision, request, over: stream)
        return .done(outcome.notice(of: decision))
      case .answer(let id, let answer):
        try await self.answer(id, with: answer, over: stream)
        return .done("answered")
      default: return .done(nil)
      }
    } catch {
      return .failed(OppiError(error).message, id: effect.answeredID)
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

extension StopTurn.Outcome {
  fileprivate var notice: String? {
    switch self {
    case .alreadyIdle: "there was nothing to stop"
    case .failed(let reason): "the turn did not stop: \(reason.safeLine())"
    case .stopped, .sessionEnded: nil
    }
  }
}

extension PermissionDecider.Outcome {
  fileprivate func notice(of decision: PermissionDecision) -> String {
    switch self {
    case .decided:
      switch decision {
      case .allow: "allowed once"
      case .allowForSession: "allowed for this session"
      case .deny: "denied"
      }
    case .tooLate: "already decided"
    case .unconfirmed: "sent; this server does not confirm it"
    }
  }
}

extension ChatMail.Settled {
  /// What the user must know of a message that is not known to be with the agent, on one line.
  var notice: String? {
    let line = "'\(text.safeLine(limit: 60))'"
    return switch verdict {
    case .delivered: nil
    // The agent's own words stand above, as the end of a turn.
    case .notSent, .refused(.agentRefused): "not sent: \(line)"
    case .refused(let refusal):
      "not sent: \(line): \(OppiError(refusal, server: "the server").message)"
    case .unknown: "whether \(line) was received is not known; it was not sent again"
    }
  }
}
