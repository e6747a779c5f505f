// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A session of a list, with its server.
package struct ListedSession: Sendable, Equatable {
  package typealias ID = SessionID

  package let id: ID
  /// The server's local name, safe to show.
  package var server: String
  package var status: SessionStatus
  /// When its server last answered, if it does not answer now.
  package var lastSeen: Timestamp?

  package init(serverID: Fingerprint, server: String, status: SessionStatus) {
    id = ID(serverID: serverID, sessionID: status.id)
    (self.server, self.status) = (server, status)
  }

  /// `studio/CdJR04ap`, the name that commands accept also if another server has the same id.
  package var name: String { "\(server)/\(id.sessionID)" }

  package var phase: SessionPhase { status.phase }
}

extension [ListedSession] {
  /// The session of a record, which may lack the server; then only an id of one server is certain.
  package func session(_ id: String, on serverID: Fingerprint?) -> ListedSession? {
    let found = filter { session in
      session.id.sessionID == id && serverID.map { $0 == session.id.serverID } ?? true
    }
    return found.count == 1 ? found[0] : nil
  }
}
