// SPDX-License-Identifier: MIT

package import OppiModel

/// What a server says of all its sessions at a moment.
package struct ServerOverview: Sendable {
  package var server: PairedServer
  package var sessions: [Session]
  /// What waits for the user's word.
  package var requests: [PermissionRequest]
  /// How far the server's clock is ahead of this machine's.
  package var clockOffset: Duration
  /// The turns that run, by their sessions, as far as they were looked at.
  package var turns: [String: TurnActivity] = [:]
  /// What the last turns of the others came to, as far as that is known.
  package var ended: EndedTurns.OfServer = [:]
  /// When it was asked.
  package var at: Timestamp

  /// What is known of turns that are over by now: of sessions that were not looked at, what was
  /// known before.
  package func endedTurns(knowing before: EndedTurns.OfServer) -> EndedTurns.OfServer {
    let present = Dictionary(sessions.map { ($0.id, $0) }) { first, _ in first }
    let still = before.filter { id, turn in present[id].map(turn.isLast) ?? false }
    return ended.merging(still) { new, _ in new }
  }

  /// A request as it is listed.
  package func approval(_ request: PermissionRequest) -> PendingApproval {
    PendingApproval(request, clockOffset: clockOffset)
  }

  /// The session of a request, with its place; as much of it as is known.
  package func session(of request: PermissionRequest) -> Session? {
    sessions.first { $0.id == request.sessionID }
  }
}
