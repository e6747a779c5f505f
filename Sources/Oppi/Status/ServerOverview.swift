// SPDX-License-Identifier: MIT

import OppiModel

/// The state of a server's sessions at a moment.
struct ServerOverview: Sendable {
  var server: PairedServer
  var sessions: [Session]
  var requests: [HumanRequest]
  /// What asks a human on the server, by what it answered.
  var way = Dialect.Requests.permissions
  /// How far the server's clock is ahead of this machine's.
  var clockOffset: Duration
  /// The running turns by session id, as far as they were read.
  var turns: [String: TurnActivity] = [:]
  /// The results of the last turns of other sessions, as far as known.
  var ended: EndedTurns.OfServer = [:]
  var at: Timestamp

  /// The known results of ended turns; for sessions that were not read, those of `before`.
  func endedTurns(knowing before: EndedTurns.OfServer) -> EndedTurns.OfServer {
    let present = Dictionary(sessions.map { ($0.id, $0) }) { first, _ in first }
    let still = before.filter { id, turn in present[id].map(turn.isLast) ?? false }
    return ended.merging(still) { new, _ in new }
  }

  func approval(_ request: HumanRequest) -> PendingApproval {
    PendingApproval(request, clockOffset: clockOffset)
  }

  /// The session of a request, as far as it is known.
  func session(of request: HumanRequest) -> Session? {
    sessions.first { $0.id == request.sessionID }
  }
}
