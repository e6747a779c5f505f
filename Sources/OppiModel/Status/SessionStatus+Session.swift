// SPDX-License-Identifier: MIT

extension SessionStatus {
  /// Combines what a server reports about a session.
  ///
  /// `clockOffset` is how far the server's clock is ahead of this machine's. `turn` and `question`
  /// are `nil` if unknown.
  package init(
    _ session: Session,
    clockOffset: Duration,
    approvals: [PendingApproval],
    turn: TurnSummary?,
    question: Question?
  ) {
    var phase = SessionPhase(session.status, hasMessages: session.messageCount > 0)
    if !approvals.isEmpty || question != nil || session.pendingCount > 0 {
      phase = .waiting
    } else if phase != .running, turn?.failure != nil {
      phase = .failed
    }
    self.init(
      id: session.id,
      workspaceID: session.workspaceID,
      workspaceName: session.workspaceName,
      goal: session.goal,
      phase: phase,
      isLoaded: session.isLoaded,
      model: session.model,
      cost: session.cost,
      changes: session.changes,
      lastActivity: session.lastActivity.moved(by: .zero - clockOffset),
      messageCount: max(0, session.messageCount),
      turn: turn?.moved(by: .zero - clockOffset),
      approvals: approvals.sorted(),
      question: question,
      pendingCount: session.pendingCount
    )
  }
}

extension Session {
  /// Whether the server has loaded the session, so that it counts for the server's limit.
  package var isLoaded: Bool { [.ready, .busy, .stopping].contains(status) }

  /// The session's name, else the start of its first message, on one line and safe to show.
  package var goal: String? {
    [name, firstMessage].lazy.compactMap { $0?.safeLine(limit: 200) }.first { !$0.isEmpty }
  }
}
