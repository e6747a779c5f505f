// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// How a watch over a session ended: its word for programs, its sentence for people and its exit
/// status, in one place.
enum TurnEnding {
  case turn(TurnOutcome)
  /// There was no turn to watch.
  case idle
  /// A human is needed and nobody is to wait for one.
  case needsHuman(String)
  /// The time of the watch is over; the agent may wait for a human meanwhile.
  case timedOut(need: String?)
  /// The server was away for too long in the middle of this program's own turn, or of another.
  case lost(IntentError, isOwnTurn: Bool)

  /// The `state` of `--json`.
  var state: String {
    switch self {
    case .turn(let outcome): outcome.word
    case .idle: "idle"
    case .needsHuman, .timedOut(_?): "waiting"
    case .timedOut(nil), .lost: "unknown"
    }
  }

  /// The agent's final answer, where the turn came to one.
  var answer: String? {
    if case .turn(.succeeded(let answer)) = self { answer } else { nil }
  }

  /// What the user must know where the turn did not succeed; `nil` where it did.
  func failure(sessionID: String) -> OppiError? {
    guard var error = error(sessionID: sessionID) else { return nil }
    error.details["sessionId"] = .string(sessionID)
    error.details["state"] = .string(state)
    return error
  }

  private func error(sessionID: String) -> OppiError? {
    let follow = "oppi follow -- \(sessionID)"
    switch self {
    case .turn(let outcome):
      guard let (code, sentence) = outcome.failure else { return nil }
      let hints =
        code == .outcomeUnknown ? ["see what is there with: oppi chat --session=\(sessionID)"] : []
      return OppiError(code, sentence, hints: hints)
    case .idle: return nil
    case .needsHuman(let need):
      return OppiError(
        .waitingForHuman,
        "the agent waits for a human: \(need)",
        hints: [Self.answering(sessionID)]
      )
    case .timedOut(let need?):
      return OppiError(
        .waitTimedOut,
        "--timeout passed; the agent waits for a human: \(need)",
        hints: [Self.answering(sessionID)]
      )
    case .timedOut(nil):
      return OppiError(
        .waitTimedOut,
        "--timeout passed; the agent works on",
        hints: ["watch it with: \(follow)"]
      )
    case .lost(let cause, let isOwnTurn):
      let why = OppiError(cause)
      guard isOwnTurn else {
        return OppiError(why.code, why.message, hints: ["when it is back: \(follow)"])
      }
      return OppiError(
        .outcomeUnknown,
        "the server is gone, and with it how the turn ended: \(why.message)",
        hints: ["when it is back: \(follow)"]
      )
    }
  }

  private static func answering(_ sessionID: String) -> String {
    "answer it with: oppi chat --session=\(sessionID)"
  }
}

extension TurnOutcome {
  /// What a turn that did not succeed is called, and its sentence; `nil` for one that did.
  var failure: (code: OppiError.Code, sentence: String)? {
    switch self {
    case .succeeded: nil
    case .empty: (.turnFailed, "the agent's turn came back empty")
    case .failed(let message): (.turnFailed, "the agent's turn failed: \(message.safeLine())")
    case .stopped(let reason):
      (.turnStopped, "the turn was stopped" + Self.because(reason))
    case .dropped: (.turnStopped, "the message was dropped from the queue by a stop; it never ran")
    case .unknown(let reason):
      (.outcomeUnknown, "how the turn ended is not known" + Self.because(reason))
    }
  }

  private static func because(_ reason: String?) -> String {
    reason.map { ": \($0.safeLine(limit: 200))" } ?? ""
  }
}

extension UserQuestion {
  /// What is asked, on one line.
  var title: String {
    let first = body["questions"].array?.first?["question"].string
    let text = first ?? body["title"].string ?? body["message"].string ?? method
    return text.safeLine(limit: 200)
  }
}

extension TurnActivity {
  /// What the agent waits for a human to do, on one line; `nil` where it does not wait.
  var need: String? {
    pendingApprovals.first?.need ?? questions.first?.need
  }
}

extension PermissionRequest {
  var need: String { "\(tool.safeLine(limit: 40)): \(summary.safeLine(limit: 200))" }
}

extension UserQuestion {
  var need: String { "question: \(title)" }
}
