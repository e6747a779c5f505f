// SPDX-License-Identifier: MIT

extension SessionStatus {
  /// Puts together what a server says of a session.
  ///
  /// - Parameters:
  ///   - session: The session as it is listed.
  ///   - clockOffset: How far the server's clock is ahead of this machine's.
  ///   - approvals: What waits for approval in it.
  ///   - turn: Its turn, where that is known.
  ///   - question: What its agent asks, where that is known.
  package init(
    _ session: Session,
    clockOffset: Duration,
    approvals: [PendingApproval],
    turn: TurnSummary?,
    question: Question?
  ) {
    var phase = SessionPhase(session.status, hasMessages: session.messageCount > 0)
    if !approvals.isEmpty || question != nil {
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
      question: question
    )
  }
}

extension Session {
  /// Whether the server has it loaded, so that it counts for the server's limits.
  package var isLoaded: Bool { [.ready, .busy, .stopping].contains(status) }

  /// What it is about, on one line, safe to show: its name, else the beginning of its first message.
  package var goal: String? {
    [name, firstMessage].lazy.compactMap { $0?.safeLine(limit: 200) }.first { !$0.isEmpty }
  }
}
