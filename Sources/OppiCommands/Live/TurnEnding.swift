// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// How a watched turn ended, as a state, an answer and an exit status.
struct TurnEnding {
  let ending: TurnWatch.Ending
  let sessionID: String

  init(_ ending: TurnWatch.Ending, sessionID: String) {
    self.ending = ending
    self.sessionID = sessionID
  }

  /// The `state` of `--json`.
  var state: String {
    switch ending {
    case .turn(.succeeded): "finished"
    case .idle: "idle"
    case .turn(.empty): "empty"
    case .turn(.failed): "failed"
    case .turn(.stopped), .turn(.ended): "stopped"
    case .needsHuman: "waiting"
    case .timedOut, .lost: "unknown"
    }
  }

  /// The agent's final answer, where the turn came to one.
  var answer: String? {
    if case .turn(.succeeded(let answer)) = ending { answer } else { nil }
  }

  /// Throws what the user must know where the turn did not succeed.
  func check() throws {
    if let error { throw error }
  }

  private var error: OppiError? {
    var error: OppiError?
    switch ending {
    case .turn(.succeeded), .idle: break
    case .turn(.empty): error = OppiError(.turnFailed, "the agent's turn came back empty")
    case .turn(.failed(let message)):
      error = OppiError(.turnFailed, "the agent's turn failed: \(message.safeLine())")
    case .turn(.stopped): error = OppiError(.turnStopped, "the turn was stopped")
    case .turn(.ended(let reason)):
      let why = reason.map { " (\($0.safeLine(limit: 80)))" } ?? ""
      error = OppiError(.turnStopped, "the session ended in the middle of the turn\(why)")
    case .needsHuman(let need):
      error = OppiError(
        .waitingForHuman,
        "the agent waits for a human: \(need)",
        hints: ["answer it with: oppi chat --session=\(sessionID)"]
      )
    case .timedOut:
      error = OppiError(
        .waitTimedOut,
        "--timeout passed; the agent works on",
        hints: ["watch it with: oppi follow -- \(sessionID)"]
      )
    case .lost(let cause):
      error = OppiError(
        .outcomeUnknown,
        "the server is gone, and with it how the turn ended: \(OppiError(cause).message)",
        hints: ["when it is back: oppi follow -- \(sessionID)"]
      )
    }
    error?.details["sessionId"] = .string(sessionID)
    return error
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
