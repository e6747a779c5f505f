// SPDX-License-Identifier: MIT

/// What an agent does in one turn: all that a card shows.
///
/// Texts are the server's own, bounded in length but not made safe to show.
package struct TurnActivity: Sendable, Equatable {
  /// The most bytes of UTF-8 of ``text``.
  package static let textLimit = 16 * 1024 * 1024
  /// The most calls that are kept.
  package static let callLimit = 100
  /// The most bytes of a message in ``queue``.
  package static let queuedTextLimit = 4096
  /// The most bytes of the reasons that servers give.
  static let reasonLimit = 4096
  /// The most children, questions, queued messages and statuses that are kept of each.
  package static let companionLimit = 50

  /// Whether an answer has so many bytes that it is the beginning of a longer one.
  package static func isCut(_ answer: String) -> Bool {
    // A character that does not fit as a whole is left out.
    answer.utf8.count > textLimit - 4
  }

  package var status = TurnStatus.idle
  package var thinking = ThinkingState()
  /// In the order in which the model made them.
  package var toolCalls: [ToolCallActivity] = []
  /// How many finished calls before ``toolCalls`` are no longer kept.
  package var droppedCallCount = 0
  /// The visible text of the agent's latest message; empty where that only calls tools.
  package var text = ""
  /// Whether the message is being written.
  package var isWriting = false
  /// Questions and dialogs that wait for an answer.
  package var questions: [UserQuestion] = []
  package var children: [ChildSession] = []
  /// Messages that wait behind the turn; older servers tell of none.
  package var queue: [QueuedMessage] = []
  /// What the agent's extensions say of themselves.
  package var statuses: [ExtensionStatus] = []
  /// The failed attempt that is being made good.
  package var retry: RetryState?
  /// Whether the conversation is being shortened.
  package var isCompacting = false
  /// When the turn began, or when it was first seen.
  package var startedAt: Timestamp?
  package var endedAt: Timestamp?

  package init() {}

  package var isFinished: Bool {
    if case .finished = status { true } else { false }
  }

  /// What the turn came to; `nil` before its end.
  package var outcome: TurnOutcome? {
    guard case .finished(let outcome) = status else { return nil }
    return outcome
  }

  /// Requests that wait for the user's word, in the order of their calls.
  package var pendingApprovals: [PermissionRequest] { toolCalls.compactMap(\.pendingApproval) }

  /// The latest call that is being executed.
  package var runningCall: ToolCallActivity? { toolCalls.last { $0.state == .running } }

  /// How long the turn has taken until a moment, or took until its end.
  package func elapsed(at now: Timestamp) -> Duration {
    guard let startedAt else { return .zero }
    return .milliseconds(max(0, (endedAt ?? now).milliseconds - startedAt.milliseconds))
  }
}

/// Where a turn stands.
package enum TurnStatus: Sendable, Equatable {
  /// There has been no turn.
  case idle
  case running
  /// Someone asked the turn to stop.
  case stopping
  case finished(TurnOutcome)
}

/// Another attempt after a failure of the model.
package struct RetryState: Sendable, Equatable {
  /// Counted from 1.
  package var attempt: Int
  /// The most attempts that are made.
  package var limit: Int
  /// The failure.
  package var error: String

  package init(attempt: Int, limit: Int, error: String) {
    self.attempt = attempt
    self.limit = limit
    self.error = error
  }
}

/// A line of status that an extension of the agent keeps up to date.
package struct ExtensionStatus: Sendable, Equatable {
  /// What the extension calls the line.
  package let key: String
  package var text: String

  package init(key: String, text: String) {
    self.key = key
    self.text = text
  }
}

/// A session that the agent started for a part of its work.
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
