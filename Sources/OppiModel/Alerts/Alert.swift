// SPDX-License-Identifier: MIT

/// A session on its server.
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

/// A daily time range, such as `22:00-07:00`, which may cross midnight.
package struct QuietHours: Sendable, Equatable {
  /// Minutes since midnight; the end is exclusive.
  private let begin: Int
  private let end: Int

  /// Parses two times of day separated by a hyphen; `nil` for any other text.
  package init?(_ text: String) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
    guard times.count == 2, let begin = times[0], let end = times[1], begin != end else {
      return nil
    }
    self.begin = begin
    self.end = end
  }

  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.utf8.count) }),
      parts[1].utf8.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
      (0..<24).contains(hour), (0..<60).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }

  /// Whether the range contains a time of day, in minutes since midnight.
  package func contains(minute: Int) -> Bool {
    begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
  }
}
