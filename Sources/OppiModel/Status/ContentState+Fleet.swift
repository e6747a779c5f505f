// SPDX-License-Identifier: MIT

extension ContentState {
  /// Looks at all sessions at a moment.
  ///
  /// What a server said too long ago counts only where no server has said anything since.
  package init(_ fleet: FleetStatus, at now: Timestamp) {
    let heard = fleet.servers.filter { $0.isHeard(at: now) }
    let servers = heard.isEmpty ? fleet.servers : heard
    let sessions = servers.flatMap { server in
      server.sessions.map { Candidate(server: server, session: $0, at: now) }
    }
    let first = sessions.filter { $0.rank != nil }.min()
    let approvals = sessions.flatMap(\.approvals)
    isStale = heard.isEmpty && !fleet.servers.isEmpty
    status =
      if fleet.servers.isEmpty {
        .notPaired
      } else if isStale, fleet.servers.allSatisfy({ $0.failure != nil }) {
        .offline
      } else {
        first?.rank?.status ?? .idle
      }
    let contact =
      if let first { first.server.contactAt } else { servers.compactMap(\.contactAt).max() }
    ageSeconds = contact.map { $0.age(at: now) }
    shown = first.map(\.shown)
    let turn = first?.session.turn
    operation = first?.rank?.status == .error ? turn?.failure : turn?.operation
    // Nobody knows whether a turn went on after the last word of it.
    elapsedSeconds = first?.elapsedSeconds(at: isStale ? contact ?? now : now)
    todo = turn?.todo
    approval = approvals.min()
    pendingApprovals = approvals.count
    pendingQuestions = sessions.count { $0.session.question != nil }
    counts = Dictionary(sessions.map { ($0.phase, 1) }, uniquingKeysWith: +)
    // In whatever order they were asked, there is nothing new.
    absences = fleet.servers.compactMap { Absence($0, at: now) }.sorted { $0.server < $1.server }
  }

  /// A session among those of which one is shown.
  private struct Candidate: Comparable {
    let server: ServerStatus
    let session: SessionStatus
    /// The requests that can still be decided on.
    let approvals: [PendingApproval]
    let phase: SessionPhase
    /// `nil` for a session that nobody needs to see.
    let rank: Rank?

    init(server: ServerStatus, session: SessionStatus, at now: Timestamp) {
      self.server = server
      self.session = session
      approvals = session.approvals.filter { !$0.hasExpired(at: now) }
      phase = session.phase(at: now)
      rank = Rank(of: session, in: phase, approvals, at: now)
    }

    /// The session as it is by now.
    var shown: Shown {
      var session = session
      session.phase = phase
      session.approvals = approvals
      return Shown(serverID: server.id, server: server.name, session: session)
    }

    /// The one that matters more comes first; of two alike that in which something happened last.
    static func < (first: Self, second: Self) -> Bool {
      if first.rank != second.rank, let mine = first.rank, let other = second.rank {
        return mine < other
      }
      let (mine, other) = (first.session, second.session)
      return (other.lastActivity, mine.id) < (mine.lastActivity, other.id)
    }

    func elapsedSeconds(at now: Timestamp) -> Int? {
      guard let turn = session.turn, let start = turn.startedAt else { return nil }
      let isOver = rank?.status == .completed || rank?.status == .error
      return start.age(at: turn.endedAt ?? (isOver ? session.lastActivity : now))
    }
  }

  /// How much a session matters: its status first, then the most urgent of its requests.
  private struct Rank: Comparable {
    let status: Status
    var approval: PendingApproval?

    init?(
      of session: SessionStatus,
      in phase: SessionPhase,
      _ approvals: [PendingApproval],
      at now: Timestamp
    ) {
      switch phase {
      case .waiting:
        approval = approvals.min()
        status = approval == nil ? .awaitingAnswer : .awaitingApproval
      case .running: status = .processing
      case .failed, .idle, .done:
        let end = session.turn?.endedAt ?? session.lastActivity
        // Nobody needs to see a turn that was stopped, or an end that nobody knows.
        guard session.turn?.end == .finished || phase == .failed,
          Duration.seconds(end.age(at: now)) <= dismissedAfter
        else { return nil }
        status = phase == .failed ? .error : .completed
      }
    }

    static func < (first: Self, second: Self) -> Bool {
      guard first.status == second.status else { return first.place < second.place }
      guard let mine = first.approval, let other = second.approval else { return false }
      return mine < other
    }

    private var place: Int { Status.allCases.firstIndex(of: status) ?? 0 }
  }
}

extension ContentState.Absence {
  /// `nil` for a server that could be asked.
  fileprivate init?(_ server: ServerStatus, at now: Timestamp) {
    guard let failure = server.failure else { return nil }
    let age = server.contactAt.map { $0.age(at: now) }
    self.init(server: server.name, reason: failure, ageSeconds: age)
  }
}

extension ServerStatus {
  /// Whether what it said last is still taken for the present.
  fileprivate func isHeard(at now: Timestamp) -> Bool {
    contactAt.map { Duration.seconds($0.age(at: now)) <= ContentState.staleAfter } ?? false
  }
}

extension SessionStatus {
  /// What it does at a moment: an agent whose request was denied by itself works on.
  fileprivate func phase(at now: Timestamp) -> SessionPhase {
    if question != nil { return .waiting }
    guard !approvals.isEmpty else { return phase }
    if approvals.contains(where: { !$0.hasExpired(at: now) }) { return .waiting }
    return phase == .waiting ? .running : phase
  }
}

extension Timestamp {
  /// How many whole seconds ago it was; 0 for what is to come.
  package func age(at now: Timestamp) -> Int { max(0, (now.milliseconds - milliseconds) / 1000) }
}
