// SPDX-License-Identifier: MIT

/// Messages that say why a turn's outcome is unknown.
enum OutcomeDoubt {
  static let stillQueued =
    "the previous turn has ended, but the message has not started; "
    + "it may still be queued on the server"
  static let agentLost = "the agent was restarted during the turn"
  static let notInTrace = "the prompt is not in the conversation; it was lost or refused"
  static let overtaken = "another prompt has started instead"
  static let cutOff = "the conversation ends in the middle of the turn"

  /// The number of bytes of a prompt that are kept to find it again.
  static let textLimit = 64 * 1024
}
