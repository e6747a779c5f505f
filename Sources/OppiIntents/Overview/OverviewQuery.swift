// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiTransport

/// Asks how all sessions of all servers stand, over REST: no agent is started, no place is taken,
/// and no phone is kept from being told.
package struct OverviewQuery: Sendable {
  /// How much of the turns is looked at.
  package enum Depth {
    /// What runs or waits, and what the turns that are over came to.
    case turns
    /// Nothing but the lists of sessions and requests.
    case lists
    /// What waits for the user's word alone.
    case requests
  }

  private let fleet: Fleet

  package init(_ fleet: Fleet) {
    self.fleet = fleet
  }

  /// Asks all servers at the same time, and hands out each one's answer.
  ///
  /// - Parameters:
  ///   - depth: How much of the turns is looked at.
  ///   - known: What was seen of turns before: those that have not changed since are not asked for.
  /// - Returns: The answers, in the order in which they came.
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
    // The requests come last: what ended between the two questions must not look as if it waited.
    let pending = try await api.pendingPermissions(over: connection, until: deadline)
    var overview = ServerOverview(
      server: server,
      sessions: list?.sessions ?? [],
      requests: pending.requests,
      clockOffset: pending.clockOffset ?? .zero,
      at: api.loop.timestamp()
    )
    let plan = LookPlan(overview, known: known, isOlder: list?.isOlder ?? false)
    overview.ended = plan.ended
    if depth == .turns {
      let looks = SessionLooks(api, overview.requests, until: deadline)
      overview.take(await looks.looks(at: plan.jobs, over: connection))
    }
    return overview
  }
}

extension ServerOverview {
  /// Takes what was seen of sessions.
  fileprivate mutating func take(_ looks: [SessionLooks.Look]) {
    let places = Dictionary(sessions.indices.map { (sessions[$0].id, $0) }) { first, _ in first }
    for look in looks {
      turns[look.session.id] = look.running
      if let ended = look.ended { self.ended[look.session.id] = ended }
      if let index = places[look.session.id] { sessions[index] = look.session }
    }
  }
}
