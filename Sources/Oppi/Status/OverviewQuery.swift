// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Reads the state of all sessions of all servers over REST; starts no agent, and does not suppress
/// a phone's notifications.
struct OverviewQuery: Sendable {
  /// What to read of turns.
  enum Depth {
    /// Running turns, and the results of ended ones.
    case turns
    /// Only the lists of sessions and requests.
    case lists
    /// Only the pending requests, and at least the sessions that have them.
    case requests
  }

  private let fleet: Fleet

  init(_ fleet: Fleet) {
    self.fleet = fleet
  }

  /// Queries all servers concurrently, and returns their answers in the order of arrival.
  ///
  /// Turns in `known` that have not changed since are not read again.
  ///
  /// - Throws: If the task was cancelled.
  func answers(
    _ depth: Depth,
    of scope: Dialect.Listing.Scope = .recent,
    known: EndedTurns = EndedTurns()
  ) async throws(CancellationError) -> [Fleet.Answer<ServerOverview>] {
    try await fleet.answers { (calls, server) throws(OppiError) in
      let reading = Reading(calls: calls.overOneConnection(), depth: depth, scope: scope)
      return try await reading.overview(of: server, known: known[server.id])
    }
  }

  /// One query of one server.
  fileprivate struct Reading {
    let calls: ServerCalls
    let depth: Depth
    let scope: Dialect.Listing.Scope
  }
}

extension OverviewQuery.Reading {
  func overview(
    of server: PairedServer,
    known: EndedTurns.OfServer
  ) async throws(OppiError) -> ServerOverview {
    let list = try await list()
    // The requests come last, so that one that ended in between does not appear as pending.
    let pending = try await PendingRequests.read(over: calls, in: list)
    var overview = ServerOverview(
      server: server,
      sessions: list?.sessions ?? pending.sessions ?? [],
      requests: pending.requests,
      way: pending.way,
      clockOffset: pending.clockOffset ?? list?.clockOffset ?? .zero,
      at: calls.loop.timestamp()
    )
    let isOlder = list?.listing.mayListLostAgents ?? false
    let plan = ReadPlan(overview, known: known, isOlder: isOlder)
    overview.ended = plan.ended
    if depth == .turns {
      let requests = overview.requests.filter { $0.kind == .permission }
      overview.take(await SessionReader(requests).looks(at: plan.jobs, over: calls))
    }
    return overview
  }

  /// The sessions; `nil` if only the pending requests are read, and the server lists those itself.
  private func list() async throws(OppiError) -> ServerCalls.SessionList? {
    let isNeeded = depth != .requests || calls.dialect?.listing.countsDialogs == true
    guard isNeeded else { return nil }
    let scope = depth == .requests ? .loaded : scope
    return try await calls.sessionList(scope)
  }
}

extension ServerOverview {
  fileprivate mutating func take(_ looks: [SessionReader.Look]) {
    let places = Dictionary(sessions.indices.map { (sessions[$0].id, $0) }) { first, _ in first }
    for look in looks {
      turns[look.session.id] = look.running
      if let ended = look.ended { self.ended[look.session.id] = ended }
      if let index = places[look.session.id] { sessions[index] = look.session }
    }
  }
}
