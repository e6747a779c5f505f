// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Asks how all sessions of all servers stand, over REST: no agent is started, no place is taken,
/// and no phone is kept from being told.
package struct OverviewQuery: Sendable {
  /// How much of the turns is looked at.
  package enum Depth: Sendable {
    /// What runs, waits or has ended a short time ago.
    case turns
    /// Nothing but the lists of sessions and requests.
    case lists
    /// What waits for the user's word alone.
    case requests
  }

  /// The most turns of one server that are looked at though they are over.
  static let endedLimit = 8
  /// The most that are looked at while they run: one that waits for an answer may be the oldest.
  static let runningLimit = 40

  private let fleet: Fleet

  package init(_ fleet: Fleet) {
    self.fleet = fleet
  }

  /// Asks all servers at the same time, and hands out each one's answer.
  ///
  /// - Parameters:
  ///   - depth: How much of the turns is looked at.
  ///   - known: What the servers said before: turns that have not changed since are not asked for.
  /// - Returns: The answers, in the order in which they came.
  package func answers(
    _ depth: Depth,
    known: [ServerOverview] = []
  ) async -> [Fleet.Answer<ServerOverview>] {
    await fleet.answers { (client, server, deadline) throws(IntentError) in
      let before = known.first { $0.server.id == server.id }
      return try await Self.overview(of: server, client, depth, known: before, until: deadline)
    }
  }

  private static func overview(
    of server: PairedServer,
    _ api: IntentAPIClient,
    _ depth: Depth,
    known: ServerOverview?,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> ServerOverview {
    let connection = api.connection()
    let sessions =
      depth == .requests ? [] : try await api.listSessions(over: connection, until: deadline)
    // The requests come last: what ended between the two questions must not look as if it waited.
    let pending = try await api.pendingPermissions(over: connection, until: deadline)
    var overview = ServerOverview(
      server: server,
      sessions: sessions,
      requests: pending.requests,
      clockOffset: pending.clockOffset ?? .zero,
      turns: [:],
      at: api.loop.timestamp()
    )
    if depth == .turns {
      await look(at: &overview, api, known: known, until: deadline)
    }
    return overview
  }

  /// Looks at the turns that matter, all at the same time.
  private static func look(
    at overview: inout ServerOverview,
    _ api: IntentAPIClient,
    known: ServerOverview?,
    until deadline: EventLoop.Instant
  ) async {
    let server = overview.server
    let requests = Dictionary(grouping: overview.requests) { $0.sessionID ?? "" }
    var looks: [Look] = []
    await withTaskGroup(of: Look.self) { group in
      for session in overview.sessionsToLookAt {
        if let turn = known?.finishedTurn(of: session) {
          looks.append(Look(session: session, turn: turn))
        } else {
          let requests = requests[session.id] ?? []
          group.addTask { await look(at: session, requests, on: server, api, until: deadline) }
        }
      }
      for await look in group { looks.append(look) }
    }
    for look in looks {
      overview.turns[look.session.id] = look.turn
      if let index = overview.sessions.firstIndex(where: { $0.id == look.session.id }) {
        overview.sessions[index] = look.session
      }
    }
  }

  /// What was seen of a session.
  private struct Look: Sendable {
    var session: Session
    var turn: TurnActivity?
  }

  /// Of a session that cannot be looked at the list is all that is known.
  private static func look(
    at session: Session,
    _ requests: [PermissionRequest],
    on server: PairedServer,
    _ api: IntentAPIClient,
    until deadline: EventLoop.Instant
  ) async -> Look {
    do throws(IntentError) {
      guard session.status.isAtWork, let workspaceID = session.workspaceID else {
        let place = ServerSession(server: server, session: session)
        let conversation = try await ReadConversation(api: api).read(place)
        return Look(session: session, turn: conversation.transcript.last?.activity)
      }
      // A server that crashed may list a session as busy that has no agent any more.
      guard let live = try await api.liveSession(session, until: deadline) else {
        return Look(session: session.with(.stopped))
      }
      let (_, trace) = try await api.session(session.id, workspaceID: workspaceID, until: deadline)
      return Look(session: live, turn: await turn(in: trace, of: live, requests, api))
    } catch {
      return Look(session: session)
    }
  }

  /// The turn that runs, as far as it is written down.
  private static func turn(
    in trace: JSONValue,
    of session: Session,
    _ requests: [PermissionRequest],
    _ api: IntentAPIClient
  ) async -> TurnActivity? {
    let isLong = trace.array?.count ?? 0 > Transcript.quickCount
    let now = api.loop.timestamp()
    let turn = try? await api.loop.offload(ifLong: isLong) {
      let isAtWork = session.status.isAtWork
      return Transcript(
        trace: trace,
        session: session,
        events: [],
        isAtWork: isAtWork,
        requests: requests,
        at: now
      )
      .last?.activity
    }
    return turn ?? nil
  }
}

extension Session {
  fileprivate func with(_ status: Status) -> Session {
    var session = self
    session.status = status
    return session
  }
}

extension ServerOverview {
  /// Those of which a turn runs, and the latest of those that have ended a short time ago.
  fileprivate var sessionsToLookAt: [Session] {
    let now = at.moved(by: clockOffset)
    let ended = sessions.filter { session in
      let age = Duration.seconds(session.lastActivity.age(at: now))
      return !session.status.isAtWork && session.messageCount > 0
        && age <= ContentState.dismissedAfter
    }
    .sorted { $0.lastActivity > $1.lastActivity }
    return Array(sessions.filter(\.status.isAtWork).prefix(OverviewQuery.runningLimit))
      + ended.prefix(OverviewQuery.endedLimit)
  }

  /// The turn that a session ended with, where nothing has happened in it since.
  fileprivate func finishedTurn(of session: Session) -> TurnActivity? {
    guard let turn = turns[session.id], turn.isFinished, sessions.contains(session) else {
      return nil
    }
    return turn
  }
}
