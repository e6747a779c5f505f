// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiText
package import OppiWire

/// The reference time of status tests.
extension Timestamp {
  package static let noon = Timestamp(seconds: 1_800_000_000)

  /// A time in seconds before noon, or after it if negative.
  package static func ago(_ seconds: Int) -> Timestamp {
    Timestamp(milliseconds: noon.milliseconds - seconds * 1000)
  }
}

extension Session {
  package static func sample(
    _ id: String,
    _ status: String = "ready",
    lastActivity: Timestamp = .noon,
    messageCount: Int = 2,
    pendingCount: Int = 0
  ) -> Session {
    let json: JSONObject = [
      "id": .string(id), "status": .string(status), "messageCount": .integer(Int64(messageCount)),
      "lastActivity": .integer(Int64(lastActivity.milliseconds)),
      "pendingAskCount": .integer(Int64(pendingCount)),
    ]
    guard let session = Session(json: .object(json)) else {
      preconditionFailure("not a session: \(json)")
    }
    return session
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
    var status = SessionStatus(id: id, phase: phase, lastActivity: lastActivity)
    (status.workspaceID, status.workspaceName) = ("ws-1", "webapp")
    (status.turn, status.approvals, status.question) = (turn, approvals, question)
    return status
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

extension SessionID {
  /// A session on the first server.
  package static func sample(_ session: String = "S") -> SessionID {
    SessionID(serverID: Fingerprint.sample(1), sessionID: session)
  }
}

extension Alert {
  /// An alert of a session on the first server.
  package static func sample(
    _ kind: Kind,
    _ session: SessionStatus = .sample("S", .waiting)
  ) -> Alert {
    Alert(place: .sample(session.id), kind: kind, server: "studio", session: session)
  }
}

extension PermissionRequest {
  /// A tool call that runs a command, without a deadline unless specified.
  package static func call(
    _ id: String,
    _ command: String,
    in session: String = "S",
    reason: String? = nil,
    timeoutAt end: Timestamp? = nil
  ) -> PermissionRequest {
    PermissionRequest(
      id: id,
      sessionID: session,
      tool: "bash",
      input: ["command": .string(command)],
      summary: command,
      reason: reason,
      timeoutAt: end
    )
  }
}

extension HumanRequest {
  /// As ``PermissionRequest/call(_:_:in:reason:timeoutAt:)``.
  package static func call(
    _ id: String,
    _ command: String,
    in session: String = "S",
    reason: String? = nil,
    timeoutAt end: Timestamp? = nil
  ) -> HumanRequest {
    .permission(.call(id, command, in: session, reason: reason, timeoutAt: end))
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

extension Fingerprint {
  /// The identity of a server with a number.
  package static func sample(_ number: Int) -> Fingerprint {
    Fingerprint(digest: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32))
  }
}

extension UserQuestion {
  /// A dialog of a kind, whose members are those of its message.
  package static func sample(
    _ method: String,
    _ body: JSONValue = .null,
    id: String = "q"
  ) -> UserQuestion {
    UserQuestion(id: id, method: method, body: body)
  }
}
