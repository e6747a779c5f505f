// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiSystem
import OppiTerminal
package import OppiText
package import OppiWire

/// The state of a server's sessions at a moment.
package struct ServerOverview: Sendable {
  package var server: PairedServer
  package var sessions: [Session]
  package var requests: [HumanRequest]
  /// What asks a human on the server, by what it answered.
  package var way = Dialect.Requests.permissions
  /// How far the server's clock is ahead of this machine's.
  package var clockOffset: Duration
  /// The running turns by session id, as far as they were read.
  var turns: [String: Turn] = [:]
  /// The results of the last turns of other sessions, as far as known.
  var ended: EndedTurns.OfServer = [:]
  package var at: Timestamp

  /// The overview with these errors as the results of last turns whose end is not known.
  package func explained(by failures: [String: String]) -> ServerOverview {
    var overview = self
    for session in sessions where !session.status.isAtWork {
      guard let text = failures[session.id], turns[session.id] == nil else { continue }
      var turn = ended[session.id]?.turn ?? TurnSummary(end: .unknown)
      guard turn.end == .unknown else { continue }
      let failed = TurnSummary(.failed(text))
      (turn.failure, turn.end) = (failed.failure, failed.end)
      overview.ended[session.id] = EndedTurn(of: session, turn)
    }
    return overview
  }

  /// The known results of ended turns; for sessions that were not read, those of `before`.
  package func endedTurns(knowing before: EndedTurns.OfServer) -> EndedTurns.OfServer {
    let present = Dictionary(sessions.map { ($0.id, $0) }) { first, _ in first }
    let still = before.filter { id, turn in present[id].map(turn.isLast) ?? false }
    return ended.merging(still) { new, _ in new }
  }
}

extension ServerStatus {
  package init(_ overview: ServerOverview) {
    self.init(
      id: overview.server.id,
      name: overview.server.name,
      contactAt: overview.at,
      sessions: overview.statuses
    )
  }

  /// A server that could not be queried: the reason, and its last known state.
  package init(_ server: PairedServer, failure: String, known: ServerStatus?) {
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
  package var statuses: [SessionStatus] {
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
  package var forSnapshot: ServerStatus {
    var status = self
    let done = sessions.filter { $0.phase == .done }.sorted()
    var current = sessions.filter { $0.phase != .done }
    if current.count > Self.limit { current = Array(current.sorted().prefix(Self.limit)) }
    status.sessions = current + done.prefix(Self.doneLimit)
    return status
  }
}

/// The last known state of sessions, stored for programs that do not query a server.
extension Services {
  package var knownTurns: EndedTurns { turnsFile.usable() ?? EndedTurns() }

  /// Stores the results of ended turns, if any are new.
  package func rememberTurns(of overviews: [ServerOverview]) {
    let known = knownTurns
    var turns = known
    for overview in overviews {
      let id = overview.server.id
      turns[id] = overview.endedTurns(knowing: known[id])
    }
    guard turns != known else { return }
    // On failure, they are requested again later.
    files.attempt { () throws(FileError) in try turnsFile.save(turns) }
  }

  /// Stores servers' answers for completion; keeps the stored state of other servers.
  package func remember(_ overviews: [ServerOverview]) {
    rememberTurns(of: overviews)
    let seen = overviews.map { ServerStatus($0).forSnapshot }
    let others = (lastSeenFile.usable()?.servers ?? []).filter { old in
      !seen.contains { $0.id == old.id }
    }
    // On failure, they are requested again later.
    let fleet = FleetStatus(at: now(), servers: seen + others)
    files.attempt { () throws(FileError) in try lastSeenFile.save(fleet) }
  }
}

extension Fleet {
  /// What to read of servers.
  package enum Depth {
    /// All sessions and requests, running turns, and the results of ended ones.
    case turns
    /// Only the lists of sessions and requests.
    case lists
    /// Only the pending requests, and at least the sessions that have them.
    case requests
  }

  /// Reads the state of all sessions over REST, concurrently, in the order of arrival; starts no
  /// agent, and does not suppress a phone's notifications.
  ///
  /// Turns in `known` that have not changed since are not read again.
  ///
  /// - Throws: If the task was cancelled.
  package func overviews(
    _ depth: Depth,
    of scope: Dialect.Listing.Scope = .recent,
    known: EndedTurns
  ) async throws(CancellationError) -> [Answer<ServerOverview>] {
    try await answers { (calls, server) throws(OppiError) in
      try await calls.overOneConnection().overview(of: server, depth, scope, known[server.id])
    }
  }
}

extension ServerCalls {
  fileprivate func overview(
    of server: PairedServer,
    _ depth: Fleet.Depth,
    _ scope: Dialect.Listing.Scope,
    _ known: EndedTurns.OfServer
  ) async throws(OppiError) -> ServerOverview {
    var list: SessionList?
    // Some servers list the sessions with requests themselves.
    if depth != .requests || dialect?.listing.countsDialogs == true {
      list = try await sessionList(depth == .requests ? .loaded : scope)
    }
    // The requests come last, so that one that ended in between does not appear as pending.
    let pending = try await PendingRequests.read(over: self, in: list)
    var overview = ServerOverview(
      server: server,
      sessions: list?.sessions ?? pending.sessions ?? [],
      requests: pending.requests,
      way: pending.way,
      clockOffset: pending.clockOffset ?? list?.clockOffset ?? .zero,
      at: loop.timestamp()
    )
    let isOlder = list?.listing.mayListLostAgents ?? false
    let plan = ReadPlan(overview, known: known, isOlder: isOlder)
    overview.ended = plan.ended
    guard depth == .turns else { return overview }
    let places = Dictionary(
      overview.sessions.indices.map { (overview.sessions[$0].id, $0) }
    ) { first, _ in first }
    let requests = overview.requests.filter { $0.kind == .permission }
    for look in await looks(at: plan.jobs, with: requests) {
      let id = look.session.id
      overview.turns[id] = look.running
      if let ended = look.ended { overview.ended[id] = ended }
      if let index = places[id] { overview.sessions[index] = look.session }
    }
    return overview
  }
}

/// The columns of a session in a list.
extension SessionStatus {
  /// The details next to the goal: the pending request or question, the operation or the failure.
  package func note(at now: Timestamp) -> String {
    if let approval = approvals.first(where: { $0.needs == .approval }) {
      return "\(RequestNeed.approval.noun): \(approval.summary)"
    }
    if let question = questionText { return "\(RequestNeed.answer.noun): \(question)" }
    switch outcome {
    case .unknown where phase == .idle: return "outcome unknown"
    case .stopped: return "stopped"
    case .limited:
      let failure = turn?.failure ?? ""
      return UsageLimit(statedIn: failure)?.sentence(reset: turn?.resetAt, at: now) ?? failure
    case .finished, .empty, .failed, .unknown, nil:
      return turn?.failure ?? turn?.operation ?? ""
    }
  }

  package var costText: String { CostText.of(cost) }

  /// The added and removed lines; empty if nothing was changed.
  package var changesText: String {
    changes.map { "+\($0.addedLines) -\($0.removedLines)" } ?? ""
  }
}

extension TurnSummary {
  /// A running turn with its operation, or a recorded one with its outcome.
  init(_ turn: Turn) {
    if let outcome = turn.outcome {
      self.init(outcome)
      resetAt = turn.endedAt.flatMap { outcome.limit?.resetAt(after: $0) }
      // The last step is the end only of a turn that finished.
      if end == .finished { endedAt = turn.endedAt }
    } else {
      self.init(operation: ActivityCard.work(turn)?.plain.safeLine(limit: 200))
    }
    startedAt = turn.startedAt
    todo = turn.todo
  }
}

extension SessionStatus.Question {
  /// The pending question of a turn; `nil` if there is none.
  init?(in turn: Turn, of sessionID: String) {
    guard turn.unreported != nil, let call = turn.runningCall else { return nil }
    self.init(id: sessionID, text: ToolRenderer.ask.subject(call).safeLine(limit: 200))
  }
}

extension Services {
  /// The results of ended turns: servers forget failures when a session ends.
  var turnsFile: RecordFile<EndedTurns> {
    RecordFile(paths.turnsFile, in: files, .passing, isReplaceable: true)
  }
}

package enum CostText {
  /// Returns a cost in dollars as dollars and cents; empty below half a cent, and if it is unknown.
  package static func of(_ cost: Double?) -> String {
    guard let cost, cost >= 0.005 else { return "" }
    let cents = Int(min(cost, 1e9) * 100 + 0.5)
    return "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
  }
}
