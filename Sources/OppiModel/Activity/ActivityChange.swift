// SPDX-License-Identifier: MIT

/// One change within a turn, for output that prints changes rather than states.
package enum ActivityChange: Sendable, Equatable {
  /// `isOwn` is true if this program sent the turn's prompt.
  case turnStarted(isOwn: Bool)
  /// A piece of the thinking text.
  case thinking(String)
  /// The model is writing a call; its arguments may still be missing.
  case toolPlanned(ToolCallActivity)
  case approvalRequested(PermissionRequest, callID: String?)
  case approvalResolved(id: String, outcome: ApprovalOutcome)
  /// A call is complete and passed to its tool; a permission request may still block it.
  case toolStarted(ToolCallActivity)
  /// A piece of output, or with `replaces` a text that replaces all output so far.
  case toolOutput(callID: String, text: String, replaces: Bool)
  case toolFinished(ToolCallActivity)
  /// A piece of the message that the agent is writing.
  case text(String)
  /// The whole message so far, sent when the pieces were incomplete or wrong.
  case textReplaced(String)
  /// The message is complete; the value is its whole text.
  case textFinished(String)
  case question(UserQuestion)
  /// A question is no longer pending: it was answered elsewhere, or timed out.
  case questionSettled(id: String)
  /// A line to show: a retry, a compaction or a notification of an extension.
  case notice(String)
  /// The status line that an extension keeps under a key; `nil` removes it.
  case statusChanged(key: String, text: String?)
  case child(ChildSession)
  /// Queued messages were removed from the queue and will never run.
  case queueDropped([QueuedMessage])
  /// Queued messages are no longer in the queue; whether they ran is unknown.
  case queueLost([QueuedMessage])
  /// The current turn ended, or an own prompt that never started was given up.
  case turnFinished(TurnOutcome, isOwn: Bool)
  case sessionEnded(String?)

  static func note(_ text: String) -> Self { .notice(text.head(bytes: TurnActivity.reasonLimit)) }
}
