// SPDX-License-Identifier: MIT

package import OppiModel

extension ServerStatus {
  /// What a server has said.
  package init(_ overview: ServerOverview, in words: TurnWords) {
    self.init(
      id: overview.server.id,
      name: overview.server.name,
      contactAt: overview.at,
      sessions: overview.statuses(in: words)
    )
  }

  /// A server that could not be asked, with why, in words, and what was known of it before.
  package init(_ server: PairedServer, failure: String, known: ServerStatus?) {
    self.init(
      id: server.id,
      name: server.name,
      contactAt: known?.contactAt,
      failure: failure,
      sessions: known?.sessions ?? []
    )
  }
}

extension ServerOverview {
  /// A request as it is listed, by what would run and not by what its server says of it.
  package func listed(_ request: PermissionRequest) -> PendingApproval {
    var approval = approval(request)
    approval.summary = request.line.safeLine(limit: 400)
    return approval
  }

  /// Its sessions as they are listed.
  package func statuses(in words: TurnWords) -> [SessionStatus] {
    let approvals = Dictionary(grouping: requests) { $0.sessionID ?? "" }
    return sessions.map { session in
      let turn = turns[session.id]
      return SessionStatus(
        session,
        clockOffset: clockOffset,
        approvals: (approvals[session.id] ?? []).map(listed),
        turn: turn.map(words.summary) ?? ended[session.id]?.turn,
        question: turn.flatMap { words.question($0, session.id) }
      )
    }
  }
}

extension ServerStatus {
  /// The most sessions that have ended which a snapshot has.
  private static let doneLimit = 30

  /// What the snapshot has of it.
  package var forSnapshot: ServerStatus {
    var status = self
    let done = sessions.filter { $0.phase == .done }.sorted { $0.lastActivity > $1.lastActivity }
    status.sessions = sessions.filter { $0.phase != .done } + done.prefix(Self.doneLimit)
    return status
  }
}
