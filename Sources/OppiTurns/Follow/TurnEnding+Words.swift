// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
package import OppiText
import OppiWire

/// The end of a watch as a JSON state, an error message and an exit status.
extension TurnEnding {
  /// The `state` of `--json`.
  package var state: String {
    switch self {
    case .turn(let outcome): outcome.word
    case .rejected: TurnEnd.failed.rawValue
    case .idle: SessionPhase.idle.word
    case .needsHuman, .timedOut(_?): SessionPhase.waiting.word
    case .timedOut(nil), .timedOutAway, .lost: "unknown"
    }
  }

  /// Whether the turn was stopped because of its cost.
  package var isOverBudget: Bool {
    if case .turn(.stopped(reason: TurnWatch.budgetReason)) = self { true } else { false }
  }

  /// The error of a turn whose cost exceeded its limit, with its state.
  package static func overBudget(_ state: String, sessionID: String) -> OppiError {
    OppiError(
      .turnStopped,
      "the turn exceeded its cost limit",
      details: [
        "reason": .string(TurnWatch.budgetReason), "sessionId": .string(sessionID),
        "state": .string(state),
      ]
    )
  }

  /// When the usage limit that ended the turn is reset, if it ended at `now`; `nil` if it was not a
  /// limit, or if the provider did not state the time.
  package func resetAt(after now: Timestamp) -> Timestamp? {
    limit?.resetAt(after: now)
  }

  private var limit: UsageLimit? {
    if case .turn(let outcome) = self { outcome.limit } else { nil }
  }

  /// The error of an unsuccessful end; `nil` for success and for an idle session.
  ///
  /// `endedAt` is when a turn ended; `nil` if that is not known. `now` is `nil` right after it.
  package func failure(
    sessionID: String,
    at endedAt: Timestamp?,
    now: Timestamp? = nil
  ) -> OppiError? {
    guard let (code, message, hints) = error(sessionID: sessionID) else { return nil }
    var error = OppiError(code, message, hints: hints)
    if let endedAt { error.add(limit, failedAt: endedAt, now: now ?? endedAt) }
    if isOverBudget {
      error.details["reason"] = .string(TurnWatch.budgetReason)
    }
    error.details["sessionId"] = .string(sessionID)
    error.details["state"] = .string(state)
    return error
  }

  private func error(
    sessionID: String
  ) -> (code: OppiError.Code, message: String, hints: [String])? {
    let follow = "oppi follow \(sessionID.asOperand)"
    let later = "when the server is available again"
    switch self {
    case .turn(let outcome):
      guard let (code, sentence) = outcome.failure else { return nil }
      let chat = "check the session with: oppi chat --session=\(sessionID)"
      return (code, sentence, code == .outcomeUnknown ? [chat] : [])
    case .rejected(let reason): return (.turnFailed, reason, [])
    case .idle: return nil
    case .needsHuman(let need):
      return (.waitingForHuman, "the agent is \(need.needLine)", need.answering(sessionID))
    case .timedOut(let need?):
      let words = "--timeout elapsed; the agent is \(need.needLine)"
      return (.waitTimedOut, words, need.answering(sessionID))
    case .timedOut(nil):
      return (.waitTimedOut, "--timeout elapsed; the agent continues", ["watch it with: \(follow)"])
    case .timedOutAway(let cause):
      let words = "--timeout elapsed; the state of the agent is unknown: \(cause.message)"
      return (.waitTimedOut, words, ["\(later): \(follow)"])
    case .lost(let cause, let isOwnTurn) where cause.reason == .unknownSession:
      let gone = "session \(sessionID) no longer exists"
      return isOwnTurn
        ? (.outcomeUnknown, "\(gone); the outcome of the turn is unknown", [])
        : (.noSuchSession, gone, [])
    case .lost(let cause, isOwnTurn: false):
      return (cause.code, cause.message, ["\(later): \(follow)"])
    case .lost(let cause, isOwnTurn: true):
      let (words, advice) =
        cause.isPassing
        ? ("outcome of the turn unknown, connection lost", later)
        : ("outcome of the turn unknown, the prompt was delivered", "check again with")
      return (.outcomeUnknown, "\(words): \(cause.message)", ["\(advice): \(follow)"])
    }
  }
}

extension TurnOutcome {
  /// The error code and message of an unsuccessful turn; `nil` for a successful one.
  package var failure: (code: OppiError.Code, sentence: String)? {
    switch self {
    case .succeeded: nil
    case .empty: (.turnFailed, "the agent's turn returned no answer")
    case .failed(let message):
      limit.map { (.limited, $0.sentence(reset: nil)) }
        ?? (.turnFailed, "the agent's turn failed: \(message.safeLine())")
    case .stopped(let reason):
      (.turnStopped, "the turn was stopped" + Self.because(reason))
    case .dropped:
      (.turnStopped, "the message was removed from the queue by a stop; it did not run")
    case .unknown(let reason):
      (.outcomeUnknown, "outcome of the turn unknown" + Self.because(reason))
    }
  }

  private static func because(_ reason: String?) -> String {
    reason.map { ": \($0.safeLine(limit: 200))" } ?? ""
  }
}

extension ActivityChange {
  /// The user input that the change requires, if any.
  package var need: HumanRequest? {
    switch self {
    case .approvalRequested(let request, _): .permission(request)
    case .question(let question): .question(question)
    default: nil
    }
  }
}

extension HumanRequest {
  /// The pending input, and the commands that answer it.
  func lines(sessionID: String) -> [String] {
    [needLine] + answering(sessionID).map { "  \($0)" }
  }

  /// The commands that answer it.
  func answering(_ sessionID: String) -> [String] {
    let chat = "oppi chat --session=\(sessionID)"
    guard let question else { return [OppiError.showing(id), "\(replyHint), or: \(chat)"] }
    // Only its id finds a question that servers do not list; one without an id has the session's.
    let isNamed = !question.isListed && question.id != sessionID
    let name = isNamed ? "--question=\(question.id) " : ""
    // Older servers list no questions, so 'oppi approve' would not find it there.
    let consent = question.consent == nil ? "" : " --yes, or with --no"
    return ["answer it with: oppi answer \(name)\(sessionID.asOperand)\(consent), or: \(chat)"]
  }

  /// The state of the agent, and the request, on one line.
  fileprivate var needLine: String {
    switch self {
    case .permission(let request):
      "\(needs.state): \(request.tool.safeLine(limit: 40)): \(request.line)"
    case .question(let question):
      ["\(needs.state): \(question.line.safeLine(limit: 200))", allowanceNote]
        .compactMap(\.self).sentence()
    }
  }
}
