// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiTransport

/// Reads the state of all sessions of all servers over REST; starts no agent, and does not suppress
/// a phone's notifications.
package struct OverviewQuery: Sendable {
  /// What to read of turns.
  package enum Depth {
    /// Running turns, and the results of ended ones.
    case turns
    /// Only the lists of sessions and requests.
    case lists
    /// Only the pending requests.
    case requests
  }

  private let fleet: Fleet

  package init(_ fleet: Fleet) {
    self.fleet = fleet
  }

  /// Queries all servers concurrently, and returns their answers in the order of arrival.
  ///
  /// Turns in `known` that have not changed since are not read again.
  ///
  /// - Throws: If the task was cancelled.
  package func answers(
    _ depth: Depth,
    known: EndedTurns = EndedTurns()
  ) async throws(CancellationError) -> [Fleet.Answer<ServerOverview>] {
    try await fleet.answers { (client, server, deadline) throws(IntentError) in
      let before = known[server.id]
      return try await Self.overview(of: server, client, depth, known: before, until: deadline)
    }
  }

  private static func overview(
    of server: PairedServer,
    _ api: IntentAPIClient,
    _ depth: Depth,
    known: EndedTurns.OfServer,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> ServerOverview {
    let connection = api.connection()
    let list =
      depth == .requests ? nil : try await api.sessionList(over: connection, until: deadline)
    // The requests come last, so that one that ended in between does not appear as pending.
    let pending = try await PendingRequests.read(
      of: server,
      api,
      among: list?.sessions,
      over: connection,
      until: deadline
    )
    var overview = ServerOverview(
      server: server,
      sessions: list?.sessions ?? pending.sessions ?? [],
      requests: pending.requests,
      way: pending.way,
      clockOffset: pending.clockOffset ?? .zero,
      at: api.loop.timestamp()
    )
    let plan = LookPlan(overview, known: known, isOlder: list?.isOlder ?? false)
    overview.ended = plan.ended
    if depth == .turns {
      let requests = overview.requests.compactMap(\.permission)
      let looks = SessionLooks(api, requests, until: deadline)
      overview.take(await looks.looks(at: plan.jobs, over: connection))
    }
    return overview
  }
}

extension ServerOverview {
  fileprivate mutating func take(_ looks: [SessionLooks.Look]) {
    let places = Dictionary(sessions.indices.map { (sessions[$0].id, $0) }) { first, _ in first }
    for look in looks {
      turns[look.session.id] = look.running
      if let ended = look.ended { self.ended[look.session.id] = ended }
      if let index = places[look.session.id] { sessions[index] = look.session }
    }
  }
}
