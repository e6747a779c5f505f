// SPDX-License-Identifier: MIT

/// A session on one of the servers.
package struct SessionPlace: Sendable, Hashable {
  package let serverID: Fingerprint
  package let sessionID: String

  package init(serverID: Fingerprint, sessionID: String) {
    self.serverID = serverID
    self.sessionID = sessionID
  }
}

/// Something about a session that its person is told, also without a terminal.
package struct Alert: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// A tool call waits for approval, one of so many in the session.
    case approval(PendingApproval, of: Int)
    /// It is about to be denied by itself.
    case expiring(PendingApproval, of: Int)
    case question(SessionStatus.Question)
    /// The turn is over and did not fail.
    case finished(TurnEnd)
    case failed(String)
    /// The turn has run for more than an hour.
    case runningLong

    /// Whether somebody has to do something.
    package var isUrgent: Bool {
      switch self {
      case .approval, .expiring, .question, .failed: true
      case .finished, .runningLong: false
      }
    }

    /// What it is called in JSON.
    package var word: String {
      switch self {
      case .approval: "approval"
      case .expiring: "expiring"
      case .question: "question"
      case .finished: "finished"
      case .failed: "failed"
      case .runningLong: "running-long"
      }
    }
  }

  package var place: SessionPlace
  package var kind: Kind
  /// What the server is called here, safe to show.
  package var server: String
  package var session: SessionStatus

  package init(place: SessionPlace, kind: Kind, server: String, session: SessionStatus) {
    self.place = place
    self.kind = kind
    self.server = server
    self.session = session
  }
}
