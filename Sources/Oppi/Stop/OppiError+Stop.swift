// SPDX-License-Identifier: MIT

import OppiModel

extension OppiError {
  static func notStopped(_ sessionID: String, because reason: String) -> OppiError {
    OppiError(
      .turnFailed,
      "could not stop the turn of \(sessionID): \(reason.safeLine())",
      hints: ["end the whole session with: oppi stop --session -- \(sessionID)"],
      details: ["sessionId": .string(sessionID)]
    )
  }

  /// The timeout elapsed before some sessions of a server were tried.
  static func untried(_ sessions: String, on server: String, hint: String) -> OppiError {
    OppiError(
      .timedOut,
      "--timeout elapsed before \(sessions) on \(server) could be ended",
      hints: [hint]
    )
  }
}
