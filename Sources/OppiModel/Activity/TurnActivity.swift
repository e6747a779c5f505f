// SPDX-License-Identifier: MIT

/// The agent's activity in one turn, with everything that is shown.
///
/// Texts are the server's own; their length is limited, but they are not made safe to show.
package struct TurnActivity: Sendable, Equatable {
  /// The limit of ``text`` in bytes of UTF-8.
  package static let textLimit = 16 * 1024 * 1024
  package static let callLimit = 100
  /// The limit of a message in ``queue``, in bytes.
  package static let queuedTextLimit = 4096
  /// The limit of a server's error text or reason, in bytes.
  static let reasonLimit = 4096
  /// The most children, questions, queued messages and statuses, each.
  package static let companionLimit = 50

  /// Whether an answer is so long that it has been cut at ``textLimit``.
  package static func isCut(_ answer: String) -> Bool {
    // A character that does not fit completely is left out.
    answer.utf8.count > textLimit - 4
  }

  package var status = TurnStatus.idle
  package var thinking = ThinkingState()
  /// In the order in which the model made them.
  package var toolCalls: [ToolCallActivity] = []
  /// The number of finished calls before ``toolCalls`` that are no longer kept.
  package var droppedCallCount = 0
  /// The visible text of the agent's latest message; empty if it only calls tools.
  package var text = ""
  package var isWriting = false
  /// Whether the start of the unfinished ``text`` may be missing, because it was sent before the
  /// connection; the complete message follows.
  package var mayLackStart = false
  package var questions: [UserQuestion] = []
  package var children: [ChildSession] = []
  /// Messages queued behind the turn; older servers do not report them.
  package var queue: [QueuedMessage] = []
  package var statuses: [ExtensionStatus] = []
  /// The pending or running retry.
  package var retry: RetryState?
  package var isCompacting = false
  /// The start of the turn, or the time when it was first seen.
  package var startedAt: Timestamp?
  package var endedAt: Timestamp?

  package init() {}

  package var isFinished: Bool {
    if case .finished = status { true } else { false }
  }

  package var outcome: TurnOutcome? {
    guard case .finished(let outcome) = status else { return nil }
    return outcome
  }

  package var pendingApprovals: [PermissionRequest] { toolCalls.compactMap(\.pendingApproval) }

  /// Whether the turn waits for the user.
  package var isWaiting: Bool {
    status == .running && (!questions.isEmpty || !pendingApprovals.isEmpty)
  }

  /// A call as shown: none runs while the turn waits.
  package func shown(_ call: ToolCallActivity) -> ToolCallActivity {
    var call = call
    if isWaiting, call.state == .running { call.state = .waiting }
    return call
  }

  package var runningCall: ToolCallActivity? { toolCalls.last { $0.state == .running } }

  /// The time from the start to `now`, or to the end if the turn is over.
  package func elapsed(at now: Timestamp) -> Duration {
    guard let startedAt else { return .zero }
    return .milliseconds(max(0, (endedAt ?? now).milliseconds - startedAt.milliseconds))
  }
}

package enum TurnStatus: Sendable, Equatable {
  /// There has been no turn.
  case idle
  case running
  case stopping
  case finished(TurnOutcome)
}

/// Another attempt after a failure of the model.
package struct RetryState: Sendable, Equatable {
  /// Counted from 1.
  package var attempt: Int
  /// The maximum number of attempts.
  package var limit: Int
  package var error: String
}

/// A status line that an extension of the agent maintains.
package struct ExtensionStatus: Sendable, Equatable {
  package let key: String
  package var text: String
}

/// A session that the agent started for a subtask.
package struct ChildSession: Sendable, Equatable, Identifiable {
  package let id: String
  package var name: String?
  package var status: Session.Status

  package init(_ session: Session) {
    id = session.id
    name = session.name
    status = session.status
  }
}
