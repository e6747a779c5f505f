// SPDX-License-Identifier: MIT

/// One thing that has changed in a turn, for those who print changes and not states.
package enum ActivityChange: Sendable, Equatable {
  /// A turn has begun; `isOwn` where this program handed its prompt over.
  case turnStarted(isOwn: Bool)
  /// A piece of a thought.
  case thinking(String)
  /// A call is first seen while the model writes it; its arguments may still be missing.
  case toolPlanned(ToolCallActivity)
  case approvalRequested(PermissionRequest, callID: String?)
  case approvalResolved(id: String, outcome: ApprovalOutcome)
  /// A call is complete and handed to its tool, where a permission may still hold it back.
  case toolStarted(ToolCallActivity)
  /// A piece of output, or the end of all output so far in place of what came before.
  case toolOutput(callID: String, text: String, replaces: Bool)
  case toolFinished(ToolCallActivity)
  /// A piece of the message that the agent is writing.
  case text(String)
  /// The whole of the message so far: the pieces had missed or garbled something.
  case textReplaced(String)
  /// The message is complete; this is the whole of it.
  case textFinished(String)
  case question(UserQuestion)
  /// Something worth a line: a retry, a compaction, a word of an extension.
  case notice(String)
  /// A line of status that an extension keeps under a key; without a text it is gone.
  case statusChanged(key: String, text: String?)
  case child(ChildSession)
  /// Messages that waited in the queue are gone from it and will never run.
  case queueDropped([QueuedMessage])
  /// Messages that waited in the queue are gone from it, and whether they ran is not known.
  case queueLost([QueuedMessage])
  /// The present turn is over, or a prompt of this program that never began is given up.
  case turnFinished(TurnOutcome, isOwn: Bool)
  case sessionEnded(String?)

  /// Something worth a line, of which no more is kept than a line needs.
  static func note(_ text: String) -> Self { .notice(text.head(bytes: TurnActivity.reasonLimit)) }
}
