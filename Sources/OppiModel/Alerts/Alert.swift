// SPDX-License-Identifier: MIT

///
/// Ids of sessions, workspaces and requests are unique only on their server: every lookup needs both.
package struct SessionPlace: Sendable, Hashable {
  package let serverID: Fingerprint
  package let sessionID: String

  package init(serverID: Fingerprint, sessionID: String) {
    self.serverID = serverID
    self.sessionID = sessionID
  }
}

/// An event of a session that is reported to the user, also without a terminal.
package struct Alert: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// A request needs a human; `of` is the number of such requests in the session.
    case approval(PendingApproval, of: Int)
    /// The request is about to expire, which denies or cancels it.
    case expiring(PendingApproval, of: Int)
    /// The request is pending for a time that the user has set.
    case again(PendingApproval, of: Int)
    case question(SessionStatus.Question)
    /// The turn ended and did not fail.
    case finished(TurnEnd)
    case failed(String)
    /// The turn has run for more than an hour.
    case runningLong

    package var isUrgent: Bool {
      switch self {
      case .approval, .expiring, .again, .question, .failed: true
      case .finished, .runningLong: false
      }
    }

    /// The name in JSON.
    package var word: String {
      switch self {
      case .approval(let approval, _): approval.kind.isDecision ? "approval" : "question"
      case .expiring: "expiring"
      case .again: "again"
      case .question: "question"
      case .finished: "finished"
      case .failed: "failed"
      case .runningLong: "running-long"
      }
    }
  }

  package var place: SessionPlace
  package var kind: Kind
  /// The local name of the server, safe to show.
  package var server: String
  package var session: SessionStatus

  package init(place: SessionPlace, kind: Kind, server: String, session: SessionStatus) {
    self.place = place
    self.kind = kind
    self.server = server
    self.session = session
  }
}
