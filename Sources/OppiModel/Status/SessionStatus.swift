// SPDX-License-Identifier: MIT

/// A session as listed: texts are on one line, limited and safe to show.
package struct SessionStatus: Sendable, Equatable {
  package typealias Changes = Session.Changes

  package struct Question: Sendable, Equatable {
    /// The session's id, because lists contain no id of the question.
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
  /// The session's name, else the start of its first message.
  package var goal: String?
  package var phase: SessionPhase
  /// Whether it counts for the server's limit of loaded sessions.
  package var isLoaded: Bool
  package var model: String?
  /// The cost so far, in dollars.
  package var cost: Double?
  package var changes: Changes?
  package var lastActivity: Timestamp
  /// Counts messages of the user and the assistant, and tool results.
  package var messageCount: Int
  /// The running turn, or the last one; `nil` if it was not queried.
  package var turn: TurnSummary?
  /// The most urgent first.
  package var approvals: [PendingApproval]
  package var question: Question?
  /// The number of dialogs that wait for a human, if the server counts them; the question and the
  /// approvals are among them.
  package var pendingCount: Int

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
    question: Question? = nil,
    pendingCount: Int = 0
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
    self.pendingCount = pendingCount
  }
}

extension SessionStatus {
  /// The text of the agent's pending question, or of its most urgent dialog that needs an answer;
  /// `nil` if there is none.
  package var questionText: String? {
    question?.text ?? approvals.first { !$0.kind.isDecision }?.summary
  }

  /// The ids of its pending questions; that of the session if the server does not name a question.
  package var questionIDs: [String] {
    let ids = approvals.filter { !$0.kind.isDecision }.map(\.id)
    return ids.isEmpty ? question.map { [$0.id] } ?? [] : ids
  }

  /// The outcome of the last turn; `nil` while one is running or if there was none.
  package var outcome: TurnEnd? {
    switch phase {
    case .waiting, .running: nil
    case .failed: turn?.end ?? .failed
    case .idle, .done: turn?.end ?? (messageCount > 0 ? .unknown : nil)
    }
  }
}
