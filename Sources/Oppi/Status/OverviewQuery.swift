// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

extension Fleet {
  /// What to read of servers.
  enum Depth {
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
  func overviews(
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
    for look in await SessionReader(requests).looks(at: plan.jobs, over: self) {
      let id = look.session.id
      overview.turns[id] = look.running
      if let ended = look.ended { overview.ended[id] = ended }
      if let index = places[id] { overview.sessions[index] = look.session }
    }
    return overview
  }
}
