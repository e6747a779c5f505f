// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The state of a server's sessions at a moment.
struct ServerOverview: Sendable {
  var server: PairedServer
  var sessions: [Session]
  var requests: [HumanRequest]
  /// What asks a human on the server, by what it answered.
  var way = Dialect.Requests.permissions
  /// How far the server's clock is ahead of this machine's.
  var clockOffset: Duration
  /// The running turns by session id, as far as they were read.
  var turns: [String: Turn] = [:]
  /// The results of the last turns of other sessions, as far as known.
  var ended: EndedTurns.OfServer = [:]
  var at: Timestamp

  /// The known results of ended turns; for sessions that were not read, those of `before`.
  func endedTurns(knowing before: EndedTurns.OfServer) -> EndedTurns.OfServer {
    let present = Dictionary(sessions.map { ($0.id, $0) }) { first, _ in first }
    let still = before.filter { id, turn in present[id].map(turn.isLast) ?? false }
    return ended.merging(still) { new, _ in new }
  }
}

extension ServerStatus {
  init(_ overview: ServerOverview) {
    self.init(
      id: overview.server.id,
      name: overview.server.name,
      contactAt: overview.at,
      sessions: overview.statuses
    )
  }

  /// A server that could not be queried: the reason, and its last known state.
  init(_ server: PairedServer, failure: String, known: ServerStatus?) {
    self.init(
      id: server.id,
      name: server.name,
      contactAt: known?.contactAt,
      failure: failure,
      sessions: known?.sessions ?? []
    )
  }
}

extension ServerOverview {
  var statuses: [SessionStatus] {
    let approvals = Dictionary(grouping: requests) { $0.sessionID ?? "" }
    return sessions.map { session in
      let turn = turns[session.id]
      let requests = approvals[session.id] ?? []
      return SessionStatus(
        session,
        clockOffset: clockOffset,
        approvals: requests.map { PendingApproval($0, clockOffset: clockOffset) },
        turn: turn.map { TurnSummary($0) } ?? ended[session.id]?.turn,
        question: requests.isEmpty ? question(in: turn, of: session) : nil
      )
    }
  }

  /// The pending question of a session without listed requests.
  private func question(
    in turn: Turn?,
    of session: Session
  ) -> SessionStatus.Question? {
    let told =
      way.listsDialogs ? nil : turn.flatMap { SessionStatus.Question(in: $0, of: session.id) }
    return told ?? session.countedQuestion
  }
}

extension Session {
  /// The question of a session that has pending dialogs, as far as lists tell; `nil` if there are
  /// none.
  var countedQuestion: SessionStatus.Question? {
    guard pendingCount > 0 else { return nil }
    let text = pendingCount == 1 ? "a question is pending" : "\(pendingCount) questions are pending"
    return SessionStatus.Question(id: id, text: text)
  }
}

extension ServerStatus {
  /// The most ended sessions in a snapshot.
  private static let doneLimit = 30
  /// The most other sessions, well above the 40 that a server keeps loaded by default.
  private static let limit = 1000

  /// The part that a snapshot stores: the most urgent sessions, and the latest ended ones.
  var forSnapshot: ServerStatus {
    var status = self
    let done = sessions.filter { $0.phase == .done }.sorted { $0.lastActivity > $1.lastActivity }
    var current = sessions.filter { $0.phase != .done }
    if current.count > Self.limit {
      current.sort { ($0.phase, $1.lastActivity) < ($1.phase, $0.lastActivity) }
      current.removeSubrange(Self.limit...)
    }
    status.sessions = current + done.prefix(Self.doneLimit)
    return status
  }
}

/// The last known state of sessions, stored for programs that do not query a server.
extension IntentContext {
  var knownTurns: EndedTurns { turnsFile.usable() ?? EndedTurns() }

  /// Stores the results of ended turns, if any are new.
  func rememberTurns(of overviews: [ServerOverview]) {
    let known = knownTurns
    var turns = known
    for overview in overviews {
      let id = overview.server.id
      turns[id] = overview.endedTurns(knowing: known[id])
    }
    // On failure, they are requested again later.
    if turns != known { try? turnsFile.save(turns) }
  }

  /// Stores servers' answers for completion; keeps the stored state of other servers.
  func remember(_ overviews: [ServerOverview]) {
    rememberTurns(of: overviews)
    let seen = overviews.map { ServerStatus($0).forSnapshot }
    let others = (lastSeenFile.usable()?.servers ?? []).filter { old in
      !seen.contains { $0.id == old.id }
    }
    // On failure, they are requested again later.
    try? lastSeenFile.save(FleetStatus(at: now(), servers: seen + others))
  }

  var lastSeen: [BoardSession] {
    let files = [statusFile.usable(), lastSeenFile.usable()].compactMap(\.self)
    return (files.max { $0.at < $1.at }?.servers ?? []).flatMap { server in
      server.sessions.map { BoardSession(serverID: server.id, server: server.name, status: $0) }
    }
  }
}
