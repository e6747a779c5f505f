// SPDX-License-Identifier: MIT

/// What a glance at all sessions shows: the one that matters most, and how many there are beside it.
///
/// It is the content state of the phone's Live Activities, over all servers.
package struct ContentState: Sendable, Equatable {
  /// What matters most; the most urgent first.
  package enum Status: String, Sendable, CaseIterable {
    case awaitingApproval
    case awaitingAnswer
    case error
    case processing
    case completed
    /// Nothing runs, and nothing has ended lately.
    case idle
    /// No server has answered for a while, or ever.
    case offline
    /// There is no server to ask.
    case notPaired
  }

  /// A server that cannot be asked.
  package struct Absence: Sendable, Equatable {
    package var server: String
    package var reason: String
    /// How long ago it last answered; `nil` where it never has.
    package var ageSeconds: Int?

    package init(server: String, reason: String, ageSeconds: Int?) {
      self.server = server
      self.reason = reason
      self.ageSeconds = ageSeconds
    }
  }

  /// The session that is shown, with its server.
  package struct Shown: Sendable, Equatable {
    package var serverID: Fingerprint
    package var server: String
    package var session: SessionStatus
  }

  /// What was last heard so long ago is not taken for the present.
  package static let staleAfter = Duration.seconds(5 * 60)
  /// What has ended goes away after this time.
  package static let dismissedAfter = Duration.seconds(15 * 60)

  package var status: Status
  /// `nil` where there is none to show.
  package var shown: Shown?
  /// What the agent does; of an error, what went wrong.
  package var operation: String?
  /// How long the turn takes already, or took; `nil` where that is not known.
  package var elapsedSeconds: Int?
  package var todo: TodoProgress?
  /// The most urgent request of all sessions.
  package var approval: PendingApproval?
  package var pendingApprovals = 0
  package var pendingQuestions = 0
  /// How many sessions are in each phase.
  package var counts: [SessionPhase: Int] = [:]
  /// Whether what is shown was last heard too long ago, so that it may be otherwise by now.
  package var isStale = false
  /// How long ago what is shown was heard; `nil` where nothing ever was.
  package var ageSeconds: Int?
  /// The servers that cannot be asked.
  package var absences: [Absence] = []

  /// The state where this program itself cannot look.
  package init(failure: String) {
    status = .error
    operation = failure
  }

  /// The state without what changes by time alone, or with every step of an agent and is not shown,
  /// to tell whether there is something new.
  package var timeless: ContentState {
    var state = self
    state.shown?.session.lastActivity = Timestamp(milliseconds: 0)
    state.shown?.session.cost = nil
    state.shown?.session.changes = nil
    state.elapsedSeconds = nil
    state.ageSeconds = nil
    for index in absences.indices { state.absences[index].ageSeconds = nil }
    return state
  }
}
