// SPDX-License-Identifier: MIT

import OppiModel

extension ServerStatus {
  init(_ overview: ServerOverview, in words: TurnWords) {
    self.init(
      id: overview.server.id,
      name: overview.server.name,
      contactAt: overview.at,
      sessions: overview.statuses(in: words)
    )
  }

  /// A server that could not be queried: the reason, and its last known state.
  init(_ server: PairedServer, failure: String, known: ServerStatus?) {
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
  /// A request whose summary comes from the call itself, not from the server's description.
  func listed(_ request: HumanRequest) -> PendingApproval {
    var approval = approval(request)
    approval.summary = request.line.safeLine(limit: 400)
    return approval
  }

  func statuses(in words: TurnWords) -> [SessionStatus] {
    let approvals = Dictionary(grouping: requests) { $0.sessionID ?? "" }
    return sessions.map { session in
      let turn = turns[session.id]
      let requests = approvals[session.id] ?? []
      return SessionStatus(
        session,
        clockOffset: clockOffset,
        approvals: requests.map(listed),
        turn: turn.map(words.summary) ?? ended[session.id]?.turn,
        question: requests.isEmpty ? question(in: turn, of: session, words) : nil
      )
    }
  }

  /// The pending question of a session without listed requests.
  private func question(
    in turn: TurnActivity?,
    of session: Session,
    _ words: TurnWords
  ) -> SessionStatus.Question? {
    let told = way.listsDialogs ? nil : turn.flatMap { words.question($0, session.id) }
    return told ?? session.countedQuestion
  }
}

extension Session {
  /// The question of a session that has pending dialogs, as far as lists tell; `nil` if there are
  /// none.
  var countedQuestion: SessionStatus.Question? {
    guard pendingCount > 0 else { return nil }
    let text = pendingCount == 1 ? "a question is pending" : "\(pendingCount) questions are pending"
    return SessionStatus.Question(id: id, text: text)
  }
}

extension ServerStatus {
  /// The most ended sessions in a snapshot.
  private static let doneLimit = 30
  /// The most other sessions, well above the 40 that a server keeps loaded by default.
  private static let limit = 1000

  /// The part that a snapshot stores: the most urgent sessions, and the latest ended ones.
  var forSnapshot: ServerStatus {
    var status = self
    let done = sessions.filter { $0.phase == .done }.sorted { $0.lastActivity > $1.lastActivity }
    var current = sessions.filter { $0.phase != .done }
    if current.count > Self.limit {
      current.sort { ($0.phase, $1.lastActivity) < ($1.phase, $0.lastActivity) }
      current.removeSubrange(Self.limit...)
    }
    status.sessions = current + done.prefix(Self.doneLimit)
    return status
  }
}
