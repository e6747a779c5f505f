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
  /// The turns that were looked at, by their sessions.
  package var turns: [String: TurnActivity]
  /// When it was asked.
  package var at: Timestamp

  /// A request as it is listed.
  package func approval(_ request: PermissionRequest) -> PendingApproval {
    PendingApproval(request, clockOffset: clockOffset)
  }

  /// The session of a request, with its place; as much of it as is known.
  package func session(of request: PermissionRequest) -> Session? {
    sessions.first { $0.id == request.sessionID }
  }
}
