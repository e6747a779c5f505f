// SPDX-License-Identifier: MIT

package import OppiModel

/// The reference time of status tests.
extension Timestamp {
  package static let noon = Timestamp(seconds: 1_800_000_000)

  /// A time in seconds before noon, or after it if negative.
  package static func ago(_ seconds: Int) -> Timestamp {
    Timestamp(milliseconds: noon.milliseconds - seconds * 1000)
  }
}

extension SessionStatus {
  /// A session with activity 1 s before noon, unless specified.
  package static func sample(
    _ id: String,
    _ phase: SessionPhase,
    lastActivity: Timestamp = .ago(1),
    turn: TurnSummary? = nil,
    approvals: [PendingApproval] = [],
    question: Question? = nil
  ) -> SessionStatus {
    SessionStatus(
      id: id,
      workspaceID: "ws-1",
      workspaceName: "webapp",
      phase: phase,
      lastActivity: lastActivity,
      turn: turn,
      approvals: approvals,
      question: question
    )
  }
}

extension PendingApproval {
  package static func sample(
    _ id: String,
    _ risk: Risk = .write,
    expiresAt: Timestamp? = nil
  ) -> PendingApproval {
    PendingApproval(
      id: id,
      tool: "bash",
      summary: "make \(id)",
      risk: risk,
      expiresAt: expiresAt
    )
  }
}

extension ServerStatus {
  /// A server that answered 1 s before noon, unless specified.
  package static func sample(
    _ name: String = "studio",
    heard: Timestamp? = .ago(1),
    failure: String? = nil,
    _ sessions: [SessionStatus] = []
  ) -> ServerStatus {
    ServerStatus(
      id: Fingerprint(digest: [UInt8](repeating: UInt8(name.utf8.count), count: 32)),
      name: name,
      contactAt: heard,
      failure: failure,
      sessions: sessions
    )
  }

  package static func sample(
    heard: Timestamp? = .ago(1),
    failure: String? = nil,
    _ sessions: [SessionStatus]
  ) -> ServerStatus {
    sample("studio", heard: heard, failure: failure, sessions)
  }
}

extension ContentState {
  /// The content of servers, at noon unless specified.
  package static func of(_ servers: ServerStatus..., at now: Timestamp = .noon) -> ContentState {
    ContentState(FleetStatus(at: now, servers: servers), at: now)
  }

  /// The content of one server's sessions at noon.
  package static func of(_ sessions: SessionStatus...) -> ContentState { of(.sample(sessions)) }
}
