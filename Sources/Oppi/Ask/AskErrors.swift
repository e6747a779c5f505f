// SPDX-License-Identifier: MIT

import OppiModel

extension AskFailure: ExplainedError {
  var explanation: OppiError { OppiError(of: self) }
}

extension OppiError {
  /// Describes the state of the delivery, and suggests how to continue.
  fileprivate init(of failure: AskFailure) {
    switch failure.delivery {
    case .notSent: self.init(notSent: failure)
    case .refused(let refusal): self.init(refusal, of: failure)
    case .unknown(let doubt): self.init(doubt, of: failure)
    }
    details["clientTurnId"] = .string(failure.clientTurnID)
    if let id = failure.sessionID { details["sessionId"] = .string(id) }
  }

  private init(notSent failure: AskFailure) {
    self = failure.cause ?? .noAnswer(server: failure.server)
    // An interruption needs no hint.
    guard let id = failure.sessionID, code != .interrupted, !failure.isSessionGone else { return }
    let created = failure.isNewSession ? "session \(id) was created, but " : ""
    hints.append("\(created)the prompt was not delivered; retry with: oppi ask --session=\(id)")
  }

  private init(_ refusal: PromptDelivery.Refusal, of failure: AskFailure) {
    self.init(refusal, server: failure.server)
    guard let id = failure.sessionID, code != .noSuchSession else { return }
    hints.append("the prompt was not delivered; retry with: oppi ask --session=\(id)")
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

  /// Describes why a prompt or a subscription was refused.
  init(_ refusal: PromptDelivery.Refusal, server: String) {
    let text = refusal.text?.safeLine() ?? ""
    guard refusal.limit == nil else {
      self.init(.limited, "usage limit reached: \(text)")
      return
    }
    switch refusal {
    case .full(_, let serverCode):
      self.init(
        .noRoom,
        "\(server) has no room for another session: \(text)",
        hints: [
          "end idle sessions with: oppi stop --idle; the server ends them after 10 min"
        ]
      )
      details["serverCode"] = serverCode.map(JSONValue.string)
    case .startFailed:
      self.init(.agentNotStarted, "\(server) cannot start the agent: \(text)")
    case .rejected(_, let serverCode):
      self.init(.promptRefused, text)
      switch ServerRefusal(words: text) {
      case .subscribeRateLimit: code = .tooManyRequests
      case .sessionNotFound:
        code = .noSuchSession
        hints = [Self.sessionNames]
      default: break
      }
      details["serverCode"] = serverCode.map(JSONValue.string)
    case .agentRefused: self.init(.promptRefused, text)
    case .busy:
      self.init(.sessionBusy, "another turn has just started in the session", hints: ["retry"])
    case .silent:
      self.init(
        .promptRefused,
        "the agent refused the prompt; this server version does not report why"
      )
    }
  }

  /// Adds when a usage limit is reset, if that is known.
  mutating func add(reset: Timestamp?) {
    guard let reset else { return }
    details["resetAt"] = .string(reset.iso8601)
    hints.append("the limit is reset at \(reset.iso8601)")
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
