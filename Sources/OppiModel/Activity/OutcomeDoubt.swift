// SPDX-License-Identifier: MIT

/// Messages that say why a turn's outcome is unknown.
enum OutcomeDoubt {
  static let stillQueued =
    "it has not started, and the turn before it has ended; "
    + "it may still be in the server's queue"
  static let agentLost = "the agent was restarted during the turn"
  static let notInTrace = "the prompt is not in the session's trace; it was lost or refused"
  static let overtaken = "another prompt has started instead"
  static let cutOff = "the session's trace ends in the middle of the turn"

  /// The number of bytes of a prompt that are kept to find it again.
  static let textLimit = 64 * 1024
}
