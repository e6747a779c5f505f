// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

extension OppiError {
  /// An answer that did not pass its check.
  init(_ rejection: CheckAnswer.Rejection, sessionID: String) {
    let code: Code =
      switch rejection.kind {
      case .schema: .badInput
      case .command: .turnFailed
      }
    self.init(
      code,
      rejection.reason,
      hints: [
        "read the answer with: oppi show \(sessionID.asOperand)",
        "continue the session with: oppi chat --session=\(sessionID)",
      ],
      details: ["sessionId": .string(sessionID), "state": "failed"]
    )
    output = rejection.output
    if rejection.kind == .command { details["reason"] = "not-verified" }
  }
}

extension OppiError {
  /// A wait that ended while the answer was checked.
  init(timeUpInCheckOf sessionID: String) {
    self.init(
      .waitTimedOut,
      "--timeout elapsed before the --verify command ended",
      hints: ["read the answer with: oppi show \(sessionID.asOperand)"],
      details: ["sessionId": .string(sessionID)]
    )
  }

  /// A command of the user that did not run to its end.
  init(_ error: ShellCommand.Failure) {
    switch error {
    case .cannotStart(let cause):
      self.init(.checkFailed, "cannot run \(ShellCommand.shell): \(cause)")
    case .timedOut(let limit):
      self.init(.checkFailed, "the command did not end within \(limit.argumentText ?? "its limit")")
    case .tooMuchOutput: self.init(.checkFailed, "the command has too much output")
    case .cancelled: self.init(.interrupted, "interrupted")
    }
  }
}
