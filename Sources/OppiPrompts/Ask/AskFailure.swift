// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
import OppiText
import OppiWire

/// Why a prompt is not known to be with its agent.
package struct AskFailure: Error {
  package enum Delivery: Sendable, Equatable {
    case notSent
    case refused(PromptDelivery.Refusal)
    case unknown(PromptDelivery.Doubt)
  }

  package var delivery: Delivery
  /// The underlying failure, if any.
  var cause: OppiError?
  /// The session of the prompt; `nil` if there is none, or it was deleted.
  var sessionID: String?
  /// Whether the session was created for the prompt.
  var isNewSession = true
  /// The server's label.
  var server: String
  /// The id of the last attempt.
  var clientTurnID: String
  /// Whether it was sent again with the same id, so that it could not run twice.
  var wasRepeated = false
  /// Whether the outbox has the prompt, so that a user who sends it again makes it run twice.
  var isInOutbox = false
}

extension AskFailure {
  init(notSent request: AskRequest, because cause: OppiError) {
    self.init(
      delivery: .notSent,
      cause: cause,
      server: request.target.server.name,
      clientTurnID: request.prompt.clientTurnID
    )
  }

  /// Whether nothing ran and a retry may work: the server was unreachable or full.
  var isPassing: Bool {
    switch delivery {
    // Without a cause the time ran out before sending.
    case .notSent: cause?.isPassing ?? true
    case .refused(let refusal): refusal.isPassing
    case .unknown: false
    }
  }

  /// Whether nothing ran and no retry can work; a failed authentication may be resolved later.
  var isLasting: Bool {
    switch delivery {
    case .notSent: cause?.isLasting == true
    case .refused(let refusal): !refusal.isPassing
    case .unknown: false
    }
  }

  /// Whether the prompt did not run: it was not sent, or it was refused.
  var isUnsent: Bool {
    if case .unknown = delivery { false } else { true }
  }

  /// Whether the server received the prompt and refused it.
  var hasLeft: Bool {
    if case .refused = delivery { true } else { false }
  }

  /// The usage limit because of which the agent refused the prompt, if any.
  var limit: UsageLimit? {
    if case .refused(let refusal) = delivery { refusal.limit } else { nil }
  }

  /// Whether the session no longer exists.
  var isSessionGone: Bool {
    switch delivery {
    case .refused(.rejected(let text, _)): ServerRefusal(words: text) == .sessionNotFound
    case .notSent, .unknown:
      cause?.reason == .unknownSession
    case .refused: false
    }
  }
}

extension PromptDelivery.Refusal {
  /// Whether a later attempt may be accepted.
  var isPassing: Bool {
    switch self {
    case .full, .busy: true
    case .rejected(let text, _):
      limit != nil || ServerRefusal(words: text) == .subscribeRateLimit
    case .agentRefused, .startFailed: limit != nil
    case .silent: false
    }
  }
}

extension OppiError {
  /// Whether no retry can work, by any user.
  fileprivate var isLasting: Bool {
    switch reason {
    case .unknownWorkspace?, .unknownSession?, .unknownModel?, .imageRefused?, .sessionContinued?:
      true
    case .refused(let status, _)?: (400..<500).contains(status) && !Self.passing.contains(status)
    default: false
    }
  }

  /// Statuses about the credentials or the moment.
  private static let passing: Set<Int> = [401, 403, 407, 408, 425, 429]
}

// MARK: - Its error

extension AskFailure: ExplainedError {
  var explanation: OppiError { OppiError(of: self) }
}

extension OppiError {
  /// Describes the state of the delivery, and suggests how to continue.
  fileprivate init(of failure: AskFailure) {
    let id = failure.sessionID
    let retry =
      failure.isInOutbox
      ? nil
      : id.map { "the prompt was not delivered; retry with: oppi ask --session=\($0)" }
    switch failure.delivery {
    case .notSent:
      self = failure.cause ?? .noAnswer(server: failure.server)
      // An interruption needs no hint.
      if let id, let retry, code != .interrupted, !failure.isSessionGone {
        hints.append((failure.isNewSession ? "session \(id) was created, but " : "") + retry)
      } else if id == nil, failure.isPassing, !failure.isInOutbox, code != .interrupted {
        hints.append("the prompt was not sent")
      }
    case .refused(let refusal):
      self.init(refusal, server: failure.server)
      if let retry, code != .noSuchSession { hints.append(retry) }
    case .unknown(let doubt): self.init(doubt, of: failure)
    }
    details["clientTurnId"] = .string(failure.clientTurnID)
    if let id { details["sessionId"] = .string(id) }
  }

  private init(_ doubt: PromptDelivery.Doubt, of failure: AskFailure) {
    let why: String =
      switch doubt {
      case .agentGone: "the agent exited"
      case .noRecord: "the server has no session for it"
      case .starting: "the agent did not start in time and may run the prompt later"
      case .silence, .lost, .shutOut:
        (failure.cause ?? .noAnswer(server: failure.server)).message
      }
    let again = failure.wasRepeated ? "resent only with the same id" : "not resent"
    self.init(.deliveryUnknown, "delivery unknown, \(again): \(why)")
    if let id = failure.sessionID, !failure.isSessionGone {
      hints = ["check session \(id) before you resend the prompt: oppi follow \(id.asOperand)"]
    } else if !failure.isSessionGone {
      hints = ["check the sessions before you resend the prompt: oppi sessions"]
    }
  }

  /// A wait for a turn that the user interrupted.
  init(interruptedWait sessionID: String) {
    self.init(
      .interrupted,
      "interrupted; the agent continues in session \(sessionID)",
      hints: ["watch it with: oppi follow \(sessionID.asOperand)"],
      details: ["sessionId": .string(sessionID)]
    )
  }
}
