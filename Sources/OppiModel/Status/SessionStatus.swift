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
  /// Messages of the user and the assistant, and results of tools.
  package var messageCount: Int
  /// The running turn, or the last one; `nil` where it was not looked at.
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
    messageCount: Int = 0,
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
    self.messageCount = messageCount
    self.turn = turn
    self.approvals = approvals
    self.question = question
  }
}

extension SessionStatus {
  /// What its last turn came to; `nil` while one runs, and where nothing was ever asked.
  package var outcome: TurnEnd? {
    switch phase {
    case .waiting, .running: nil
    case .failed: turn?.end ?? .failed
    case .idle, .done: turn?.end ?? (messageCount > 0 ? .unknown : nil)
    }
  }
}
