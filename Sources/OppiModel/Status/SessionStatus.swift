// SPDX-License-Identifier: MIT

/// A session as it is listed among others: texts are on one line, bounded and safe to show.
package struct SessionStatus: Sendable, Equatable {
  package typealias Changes = Session.Changes

  /// A question that waits for an answer.
  package struct Question: Sendable, Equatable {
    /// What it is answered by: the session's id, since lists tell no other.
    package var id: String
    package var text: String

    package init(id: String, text: String) {
      self.id = id
      self.text = text
    }
  }

  package var id: String
  package var workspaceID: String?
  package var workspaceName: String?
  /// What it is about: its name, else the beginning of its first message.
  package var goal: String?
  package var phase: SessionPhase
  /// Whether it takes one of the server's places.
  package var isLoaded: Bool
  package var model: String?
  /// What it has cost so far, in dollars.
  package var cost: Double?
  package var changes: Changes?
  package var lastActivity: Timestamp
  /// The running turn, or the last one where it ended a short time ago; `nil` where it was not
  /// looked at.
  package var turn: TurnSummary?
  /// The most urgent first.
  package var approvals: [PendingApproval]
  package var question: Question?

  package init(
    id: String,
    workspaceID: String? = nil,
    workspaceName: String? = nil,
    goal: String? = nil,
    phase: SessionPhase,
    isLoaded: Bool = true,
    model: String? = nil,
    cost: Double? = nil,
    changes: Changes? = nil,
    lastActivity: Timestamp,
    turn: TurnSummary? = nil,
    approvals: [PendingApproval] = [],
    question: Question? = nil
  ) {
    self.id = id
    self.workspaceID = workspaceID
    self.workspaceName = workspaceName
    self.goal = goal
    self.phase = phase
    self.isLoaded = isLoaded
    self.model = model
    self.cost = cost
    self.changes = changes
    self.lastActivity = lastActivity
    self.turn = turn
    self.approvals = approvals
    self.question = question
  }
}

/// A turn in as few words as a glance takes; texts are on one line, bounded and safe to show.
package struct TurnSummary: Sendable, Equatable {
  package var startedAt: Timestamp?
  /// `nil` while it runs.
  package var endedAt: Timestamp?
  /// What the agent does at the moment, such as `bash: swift test`.
  package var operation: String?
  package var todo: TodoProgress?
  /// Why the turn came to nothing; `nil` where it did not fail.
  package var failure: String?
  /// What is to be said of an end that is neither a success nor a failure: `stopped` or `unknown`.
  package var end: String?

  package init(
    startedAt: Timestamp? = nil,
    endedAt: Timestamp? = nil,
    operation: String? = nil,
    todo: TodoProgress? = nil,
    failure: String? = nil,
    end: String? = nil
  ) {
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.operation = operation
    self.todo = todo
    self.failure = failure
    self.end = end
  }

  /// The same on another clock.
  func moved(by offset: Duration) -> TurnSummary {
    var turn = self
    turn.startedAt = startedAt?.moved(by: offset)
    turn.endedAt = endedAt?.moved(by: offset)
    return turn
  }
}
