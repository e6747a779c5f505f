// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel

extension OppiError {
  /// Says what is known about the delivery of a prompt, and how to go on.
  init(_ failure: AskFailure) {
    switch failure.delivery {
    case .notSent: self.init(notSent: failure)
    case .refused(let refusal): self.init(refusal, of: failure)
    case .unknown(let doubt): self.init(doubt, of: failure)
    }
    details["clientTurnId"] = .string(failure.clientTurnID)
    if let id = failure.sessionID { details["sessionId"] = .string(id) }
  }

  private init(notSent failure: AskFailure) {
    self.init(failure.cause ?? .noAnswer(server: failure.server))
    // Who interrupts an ask knows that it was not sent.
    guard let id = failure.sessionID, code != .interrupted, !failure.isSessionGone else { return }
    hints.append(
      "session \(id) is there but has not got the prompt; retry with: oppi ask --session=\(id)"
    )
  }

  private init(_ refusal: PromptDelivery.Refusal, of failure: AskFailure) {
    self.init(refusal, server: failure.server)
    guard let id = failure.sessionID, code != .noSuchSession else { return }
    hints.append("session \(id) has not got it; retry with: oppi ask --session=\(id)")
  }

  private init(_ doubt: PromptDelivery.Doubt, of failure: AskFailure) {
    let why: String =
      switch doubt {
      case .agentGone: "the agent that may have it is gone"
      case .starting: "the agent has not started in time and may run the prompt later"
      case .silence, .lost, .shutOut:
        OppiError(failure.cause ?? .noAnswer(server: failure.server)).message
      }
    let again = failure.wasRepeated ? "sent again only under the same id" : "not sent again"
    self.init(.deliveryUnknown, "delivery unknown, \(again): \(why)")
    if let id = failure.sessionID, !failure.isSessionGone {
      hints = ["see whether session \(id) has it before you send it again: oppi follow -- \(id)"]
    }
  }

  /// Says why a prompt, or a wish to watch, was refused.
  init(_ refusal: PromptDelivery.Refusal, server: String) {
    let text = refusal.text?.safeLine() ?? ""
    switch refusal {
    case .full(_, let serverCode):
      self.init(
        .noRoom,
        "\(server) has no room for another session: \(text)",
        hints: [
          "make room with: oppi stop --idle; a session that rests for 10 minutes ends by itself"
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
      self.init(.sessionBusy, "another turn had just begun in the session", hints: ["try again"])
    case .silent:
      self.init(
        .promptRefused,
        "the agent did not take the prompt; a server of this age does not say why"
      )
    }
  }

  /// A wait for a turn that the user interrupted.
  init(interruptedWait sessionID: String) {
    self.init(
      .interrupted,
      "interrupted; the agent works on in session \(sessionID)",
      hints: ["watch it with: oppi follow -- \(sessionID)"],
      details: ["sessionId": .string(sessionID)]
    )
  }

  /// A wait for a turn whose agent did not start in time.
  init(slowStart failure: AskFailure) {
    self.init(failure)
    code = .waitTimedOut
    message = "--timeout passed before the agent had begun; it may run the prompt yet"
  }

  /// A prompt of the history whose session is gone, so that its workspace is not known.
  init(goneSessionOfHistory id: String) {
    self.init(
      .noSuchSession,
      "session \(id.safeLine()), in which it was asked, is gone",
      hints: ["name a workspace with -w"]
    )
  }
}
