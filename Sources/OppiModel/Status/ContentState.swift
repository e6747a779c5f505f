// SPDX-License-Identifier: MIT

package import OppiText
import OppiWire

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
    /// The time since its last answer to a watch; `nil` if there was none, or if it is unknown.
    package var ageSeconds: Int?
  }

  /// The age after which an answer is stale.
  package static let staleAfter = Duration.seconds(5 * 60)
  /// How long an ended turn is shown.
  package static let dismissedAfter = Duration.seconds(15 * 60)

  package var status: Status
  /// `nil` if there is none to show.
  package var shown: ListedSession?
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
  /// The age of the shown data; `nil` if no server ever answered, or if it is unknown.
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
    state.shown?.status.lastActivity = Timestamp(milliseconds: 0)
    state.shown?.status.cost = nil
    state.shown?.status.changes = nil
    state.elapsedSeconds = nil
    state.ageSeconds = nil
    for index in absences.indices { state.absences[index].ageSeconds = nil }
    return state
  }
}

extension ContentState {
  /// Summarises all sessions at a moment.
  ///
  /// Stale data of a server counts only if the data of all servers is stale.
  package init(_ fleet: FleetStatus, at now: Timestamp) {
    let heard = fleet.servers.filter { $0.isHeard(at: now) }
    let servers = heard.isEmpty ? fleet.servers : heard
    let sessions = servers.flatMap { server in
      server.sessions.map { Candidate(server: server, session: $0, at: now) }
    }
    let first = sessions.filter { $0.status != nil }.min()
    let approvals = sessions.flatMap(\.approvals)
    isStale = heard.isEmpty && !fleet.servers.isEmpty
    status =
      if fleet.servers.isEmpty {
        .notPaired
      } else if isStale, fleet.servers.allSatisfy({ $0.failure != nil }) {
        .offline
      } else {
        first?.status ?? .idle
      }
    let contact =
      if let first { first.server.contactAt } else { servers.compactMap(\.contactAt).max() }
    ageSeconds = contact.flatMap { $0.knownAge(at: now) }
    shown = first.map(\.shown)
    let turn = first?.session.turn
    operation = first?.status == .error ? turn?.failure : turn?.operation
    // Whether the turn continued after the last contact is unknown.
    elapsedSeconds = first?.elapsedSeconds(at: isStale ? contact ?? now : now)
    todo = turn?.todo
    let decisions = approvals.filter { $0.needs == .approval }
    // That of the shown session, also if another one has an equal request.
    approval = first?.status == .awaitingApproval ? first?.request : nil
    pendingApprovals = decisions.count
    pendingQuestions = sessions.reduce(0) { $0 + $1.questionCount }
    counts = Dictionary(sessions.map { ($0.phase, 1) }, uniquingKeysWith: +)
    // Sorted, so that the order of queries does not count as a change.
    absences = fleet.servers.compactMap { Absence($0, at: now) }.sorted { $0.server < $1.server }
  }

  private struct Candidate: Comparable {
    let server: ServerStatus
    let session: SessionStatus
    /// The requests that have not expired.
    let approvals: [PendingApproval]
    let phase: SessionPhase
    /// The most urgent request of a waiting session.
    let request: PendingApproval?
    /// `nil` for a session that needs no attention.
    let status: Status?

    init(server: ServerStatus, session: SessionStatus, at now: Timestamp) {
      self.server = server
      self.session = session
      approvals = session.approvals.filter { !$0.hasExpired(at: now) }
      phase = session.phase(at: now)
      switch phase {
      case .waiting:
        request = approvals.filter { $0.needs == .approval }.min() ?? approvals.min()
        status = request?.needs == .approval ? .awaitingApproval : .awaitingAnswer
      case .running: (request, status) = (nil, .processing)
      case .failed, .idle, .done:
        let end = session.turn?.endedAt ?? session.lastActivity
        let isRecent = Duration.seconds(end.age(at: now)) <= dismissedAfter
        // A stopped turn and an unknown end need no attention.
        let isShown = session.turn?.end == .finished || phase == .failed
        request = nil
        status = isShown && isRecent ? phase == .failed ? .error : .completed : nil
      }
    }

    /// The number of questions, and of dialogs that are not approvals.
    var questionCount: Int {
      let dialogs = session.approvals.filter { $0.kind != .permission }
      let counted = session.pendingCount - dialogs.count { $0.needs == .approval }
      return max(
        session.question == nil ? 0 : 1,
        approvals.count { $0.needs == .answer },
        dialogs.isEmpty ? counted : 0
      )
    }

    /// The session at the given time.
    var shown: ListedSession {
      var session = session
      session.phase = phase
      session.approvals = approvals
      return ListedSession(serverID: server.id, server: server.name, status: session)
    }

    /// By status, then by the most urgent request; of equal ones, the session with the latest
    /// activity first.
    static func < (first: Self, second: Self) -> Bool {
      guard first.status == second.status else { return first.place < second.place }
      guard (first.request == nil) == (second.request == nil) else { return false }
      if let mine = first.request, let other = second.request, mine < other || other < mine {
        return mine < other
      }
      let (mine, other) = (first.session, second.session)
      return (other.lastActivity, mine.id, first.server.name)
        < (mine.lastActivity, other.id, second.server.name)
    }

    private var place: Int { Status.allCases.firstIndex { $0 == status } ?? 0 }

    func elapsedSeconds(at now: Timestamp) -> Int? {
      guard let turn = session.turn, let start = turn.startedAt else { return nil }
      let isOver = status == .completed || status == .error
      return start.age(at: turn.endedAt ?? (isOver ? session.lastActivity : now))
    }
  }
}

extension ContentState.Absence {
  /// `nil` for a server that answered.
  fileprivate init?(_ server: ServerStatus, at now: Timestamp) {
    guard let failure = server.failure else { return nil }
    let age = server.contactAt.flatMap { $0.knownAge(at: now) }
    self.init(server: server.name, reason: failure, ageSeconds: age)
  }
}

extension ServerStatus {
  /// Whether the last answer is recent enough to count as current.
  fileprivate func isHeard(at now: Timestamp) -> Bool {
    let age = contactAt.flatMap { $0.knownAge(at: now) }
    return age.map { Duration.seconds($0) <= ContentState.staleAfter } ?? false
  }
}

extension SessionStatus {
  /// The phase at a moment: an agent continues after its request has expired.
  fileprivate func phase(at now: Timestamp) -> SessionPhase {
    if question != nil || pendingCount > approvals.count { return .waiting }
    guard !approvals.isEmpty else { return phase }
    if approvals.contains(where: { !$0.hasExpired(at: now) }) { return .waiting }
    return phase == .waiting ? .running : phase
  }
}
