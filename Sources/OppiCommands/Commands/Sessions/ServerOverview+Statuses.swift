// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

extension ServerOverview {
  /// Its sessions as they are listed.
  var statuses: [SessionStatus] {
    let approvals = Dictionary(grouping: requests) { $0.sessionID ?? "" }
    return sessions.map { session in
      let turn = turns[session.id]
      return SessionStatus(
        session,
        clockOffset: clockOffset,
        approvals: (approvals[session.id] ?? []).map(approval),
        turn: turn.map { TurnSummary($0) },
        question: turn.flatMap { SessionStatus.Question(in: $0, of: session.id) }
      )
    }
  }
}
