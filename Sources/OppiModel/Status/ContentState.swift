// SPDX-License-Identifier: MIT

/// What a glance at all sessions shows: the one that matters most, and how many there are beside it.
///
/// It is the content state of the phone's Live Activities, over all servers.
package struct ContentState: Sendable, Equatable {
  /// What matters most.
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
  }

  /// A server that cannot be asked.
  package struct Absence: Sendable, Equatable {
    package var server: String
    package var reason: String
    /// How long ago it last answered; `nil` where it never has.
    package var ageSeconds: Int?
  }

  /// The session that is shown, with its server.
  package struct Shown: Sendable, Equatable {
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
  package var pendingApprovals: Int
  package var pendingQuestions: Int
  /// How many sessions are in each phase.
  package var counts: [SessionPhase: Int]
  /// Whether what is shown was last heard too long ago.
  package var isStale: Bool
  /// How long ago what is shown was heard; `nil` where nothing ever was.
  package var ageSeconds: Int?
  /// The servers that cannot be asked.
  package var absences: [Absence]

  /// Looks at all sessions at a moment.
  package init(_ fleet: FleetStatus, at now: Timestamp) {
    let all = fleet.servers.flatMap { server in
      server.sessions.map { (server: server, session: $0) }
    }
    let first = all.compactMap { server, session in
      Self.rank(session, at: now).map { (rank: $0, server: server, session: session) }
    }
    .min {
      ($0.rank, $1.session.lastActivity, $0.session.id) < (
        $1.rank, $0.session.lastActivity, $1.session.id
      )
    }
    let contact = first.map(\.server.contactAt) ?? fleet.servers.compactMap(\.contactAt).max()
    ageSeconds = contact.map { $0.age(at: now) }
    isStale = ageSeconds.map { Duration.seconds($0) > Self.staleAfter } ?? true
    let isCutOff = !fleet.servers.contains { $0.failure == nil }
    status = isCutOff && isStale ? .offline : first?.rank.status ?? .idle
    shown = first.map { Shown(server: $0.server.name, session: $0.session) }
    let turn = first?.session.turn
    operation = status == .error ? turn?.failure : turn?.operation
    elapsedSeconds = turn.flatMap { turn in
      turn.startedAt.map { $0.age(at: turn.endedAt ?? now) }
    }
    todo = turn?.todo
    let approvals = all.flatMap(\.session.approvals).filter { !$0.hasExpired(at: now) }
    approval = approvals.min()
    pendingApprovals = approvals.count
    pendingQuestions = all.count { $0.session.question != nil }
    counts = Dictionary(all.map { ($0.session.phase, 1) }, uniquingKeysWith: +)
    absences = fleet.servers.compactMap { server in
      server.failure.map {
        Absence(
          server: server.name,
          reason: $0,
          ageSeconds: server.contactAt.map { $0.age(at: now) }
        )
      }
    }
  }

  /// How much a session matters: its status first, then the most urgent of its requests.
  private struct Rank: Comparable {
    var status: Status
    var approval: PendingApproval?

    static func < (first: Self, second: Self) -> Bool {
      let order = Status.allCases
      let places = (order.firstIndex(of: first.status), order.firstIndex(of: second.status))
      guard places.0 == places.1 else { return places.0 ?? 0 < places.1 ?? 0 }
      guard let mine = first.approval, let other = second.approval else { return false }
      return mine < other
    }
  }

  /// `nil` for a session that nobody needs to see.
  private static func rank(_ session: SessionStatus, at now: Timestamp) -> Rank? {
    if let approval = session.approvals.filter({ !$0.hasExpired(at: now) }).min() {
      return Rank(status: .awaitingApproval, approval: approval)
    }
    if session.question != nil { return Rank(status: .awaitingAnswer) }
    if session.phase == .running { return Rank(status: .processing) }
    let end = session.turn?.endedAt ?? session.lastActivity
    guard session.turn != nil || session.phase == .failed,
      Duration.seconds(end.age(at: now)) <= dismissedAfter
    else { return nil }
    return Rank(status: session.phase == .failed ? .error : .completed)
  }
}

extension Timestamp {
  /// How many whole seconds ago it was; 0 for what is to come.
  package func age(at now: Timestamp) -> Int { max(0, (now.milliseconds - milliseconds) / 1000) }
}

extension PendingApproval {
  /// Whether it was denied by itself.
  package func hasExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }
}
