// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

extension ServerStatus {
  /// What a server has said.
  init(_ overview: ServerOverview) {
    self.init(
      id: overview.server.id,
      name: overview.server.name,
      contactAt: overview.at,
      sessions: overview.statuses
    )
  }

  /// A server that could not be asked, with what was known of it before.
  init(_ server: PairedServer, failure: IntentError, known: ServerStatus?) {
    self.init(
      id: server.id,
      name: server.name,
      contactAt: known?.contactAt,
      failure: OppiError(failure).message,
      sessions: known?.sessions ?? []
    )
  }
}

extension ServerOverview {
  /// A request as it is listed, by what would run and not by what its server says of it.
  func listed(_ request: PermissionRequest) -> PendingApproval {
    var approval = approval(request)
    approval.summary = RequestText.line(of: request).safeLine(limit: 400)
    return approval
  }

  /// Its sessions as they are listed.
  var statuses: [SessionStatus] {
    let approvals = Dictionary(grouping: requests) { $0.sessionID ?? "" }
    return sessions.map { session in
      let turn = turns[session.id]
      return SessionStatus(
        session,
        clockOffset: clockOffset,
        approvals: (approvals[session.id] ?? []).map(listed),
        turn: turn.map { TurnSummary($0) } ?? ended[session.id]?.turn,
        question: turn.flatMap { SessionStatus.Question(in: $0, of: session.id) }
      )
    }
  }
}

extension ServerStatus {
  /// The most sessions that have ended which others are told of.
  private static let doneLimit = 30

  /// What the snapshot has of it.
  var forSnapshot: ServerStatus {
    var status = self
    let done = sessions.filter { $0.phase == .done }.sorted { $0.lastActivity > $1.lastActivity }
    status.sessions = sessions.filter { $0.phase != .done } + done.prefix(Self.doneLimit)
    return status
  }
}
