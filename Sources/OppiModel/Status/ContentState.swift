// SPDX-License-Identifier: MIT

/// The summary of all sessions: the most important one, and the number of the others.
///
/// It has the content state of the phone app's Live Activities, for all servers.
package struct ContentState: Sendable, Equatable {
  /// Ordered by importance, the most urgent first.
  package enum Status: String, Sendable, CaseIterable {
    case awaitingApproval
    case awaitingAnswer
    case error
    case processing
    case completed
    /// No turn is running, and none has ended recently.
    case idle
    /// No server has answered for a while, or ever.
    case offline
    case notPaired
  }

  /// A server that did not answer.
  package struct Absence: Sendable, Equatable {
    package var server: String
    package var reason: String
    /// The time since its last answer; `nil` if it never answered.
    package var ageSeconds: Int?
  }

  package struct Shown: Sendable, Equatable {
    package var serverID: Fingerprint
    package var server: String
    package var session: SessionStatus
  }

  /// The age after which an answer is stale.
  package static let staleAfter = Duration.seconds(5 * 60)
  /// How long an ended turn is shown.
  package static let dismissedAfter = Duration.seconds(15 * 60)

  package var status: Status
  /// `nil` if there is none to show.
  package var shown: Shown?
  /// The current operation, or the error of a failed turn.
  package var operation: String?
  /// The duration of the turn so far, or in total; `nil` if unknown.
  package var elapsedSeconds: Int?
  package var todo: TodoProgress?
  /// The most urgent request of all sessions.
  package var approval: PendingApproval?
  package var pendingApprovals = 0
  package var pendingQuestions = 0
  package var counts: [SessionPhase: Int] = [:]
  /// Whether the last answer is too old to count as current.
  package var isStale = false
  /// The age of the shown data; `nil` if no server ever answered.
  package var ageSeconds: Int?
  package var absences: [Absence] = []

  /// The state if this program itself cannot query the servers.
  package init(failure: String) {
    status = .error
    operation = failure
  }

  /// The state without times and members that are not shown, used to detect changes.
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
