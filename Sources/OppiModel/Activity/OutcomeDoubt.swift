// SPDX-License-Identifier: MIT

/// Why it is not known what a turn came to, in words for the user.
enum OutcomeDoubt {
  static let stillQueued =
    "it has not begun, and the run that it was queued behind is over; "
    + "it may still wait in the server's queue"
  static let agentLost = "the agent was started anew under it"
  static let notInTrace = "the session's trace lacks the prompt, which was lost or refused"
  static let overtaken = "another prompt has begun in its place"
  static let cutOff = "the session's trace ends in the middle of the turn"

  /// The most bytes of a prompt that are kept to find it again.
  static let textLimit = 64 * 1024
}
