// SPDX-License-Identifier: MIT

/// A session on the console.
package struct BoardSession: Sendable, Equatable {
  package struct ID: Sendable, Hashable {
    package let serverID: Fingerprint
    package let sessionID: String

    package init(serverID: Fingerprint, sessionID: String) {
      (self.serverID, self.sessionID) = (serverID, sessionID)
    }
  }

  package let id: ID
  /// The server's local name, safe to show.
  package var server: String
  package var status: SessionStatus

  package init(serverID: Fingerprint, server: String, status: SessionStatus) {
    id = ID(serverID: serverID, sessionID: status.id)
    (self.server, self.status) = (server, status)
  }

  package var group: WorkGroup { WorkGroup(status) }
}

/// The groups of sessions, in the order of the list: what needs the user comes first.
package enum WorkGroup: Sendable, CaseIterable, Comparable {
  /// An approval or a question is pending.
  case waiting
  /// The agent could not be started, or the last turn failed.
  case failed
  case running
  /// The last turn finished.
  case done
  /// No turn was run, or its result is unknown.
  case idle

  package init(_ session: SessionStatus) {
    self =
      switch session.phase {
      case .waiting: .waiting
      case .failed: .failed
      case .running: .running
      case .idle, .done: session.outcome == .finished ? .done : .idle
      }
  }

  package var title: String {
    switch self {
    case .waiting: "Waiting"
    case .failed: "Failed"
    case .running: "Running"
    case .done: "Done"
    case .idle: "Idle"
    }
  }
}
