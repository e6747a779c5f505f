// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Turns, calls and earlier prompts that cannot be shown, and sessions that cannot be deleted.
extension OppiError {
  /// `state` is the state in JSON.
  static func stillRunning(in sessionID: String, state: String) -> OppiError {
    OppiError(
      .sessionBusy,
      "the turn is still running",
      hints: [watching(sessionID)],
      details: ["sessionId": .string(sessionID), "state": .string(state)]
    )
  }

  static func watching(_ sessionID: String) -> String {
    "watch it with: oppi follow \(sessionID.asOperand)"
  }

  /// `count` is the number of calls in the session.
  static func noSuchCall(_ number: Int, of count: Int, in sessionID: String) -> OppiError {
    let calls = count == 0 ? "no calls" : count == 1 ? "1 call" : "calls 1 to \(count)"
    return OppiError(
      .noInput,
      "no call \(number) in session \(sessionID)",
      hints: ["it has \(calls); list them with: oppi show --all \(sessionID.asOperand)"],
      details: ["sessionId": .string(sessionID)]
    )
  }

  /// `entries` are all prompts, the latest first.
  static func noSuchHistory(_ number: Int?, _ entries: [AskHistoryFile.Entry]) -> OppiError {
    guard let number, let first = entries.last, let last = entries.first else {
      return OppiError(.notSet, "no prompts in the history")
    }
    return OppiError(
      .notSet,
      "no prompt \(number) in the history",
      hints: ["it has the prompts \(first.number) to \(last.number); list them with: oppi history"]
    )
  }

  static func imagesNotInHistory(_ number: Int) -> OppiError {
    OppiError(.badInput, "cannot resend prompt \(number): its images were not saved")
  }

  /// Why a session was not deleted, or may not have been; `name` is `server/id`.
  init(notDeleted name: String, because cause: IntentError, on server: String) {
    if case .refused(let status, let message, _) = cause,
      status == 405 || status == 404 && (message == nil || message == "Not found")
    {
      self.init(
        .serverError,
        "\(server) cannot delete sessions: it has no route for it",
        hints: ["update the server"]
      )
      return
    }
    self.init(cause)
    message = "could not confirm that \(name) was deleted: \(message)"
    hints = ["repeat the command: it deletes what is left"]
  }
}
