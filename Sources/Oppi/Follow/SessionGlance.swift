// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// The state of a session, read over REST without starting its agent.
struct SessionGlance: Sendable {
  enum Standing: Sendable {
    case atWork
    /// The last run just failed, and the agent may retry it.
    case mayBeRetried
    case idle
  }

  var standing: Standing
  /// The session as the server describes it now.
  var session: Session
  /// The last turn as far as it is known; `nil` if there was none.
  var lastTurn: TurnActivity?

  private static let limit = Duration.seconds(5)

  /// Reads the state of a session.
  ///
  /// - Throws: If the server cannot be queried, or does not know the session.
  static func at(
    _ session: ServerSession,
    api: IntentAPIClient
  ) async throws(IntentError) -> SessionGlance {
    let records = try await SessionRecords(of: session, api: api)
    return SessionGlance(
      standing: records.standing,
      session: records.session,
      lastTurn: ActivityReducer.lastTurn(
        trace: records.trace,
        session: records.session,
        events: records.events,
        at: records.now
      )
    )
  }

  /// The session with its workspace, which REST paths need.
  static func located(
    _ session: ServerSession,
    api: IntentAPIClient
  ) async throws(IntentError) -> ServerSession {
    try await api.located(session, until: api.loop.now + limit)
  }
}

/// A server's records of a session, read over REST without starting its agent.
struct SessionRecords: Sendable {
  private static let limit = Duration.seconds(5)
  /// Longer than any agent's pause before a retry, with a margin for clock differences.
  private static let longestPause = Duration.seconds(60)

  /// The agent's durable events; `nil` if no agent is loaded.
  let loaded: IntentAPIClient.Events?
  private let listed: Session
  let trace: JSONValue
  let now: Timestamp

  /// Reads the records.
  ///
  /// - Throws: If the server cannot be queried, or does not know the session.
  init(of session: ServerSession, api: IntentAPIClient) async throws(IntentError) {
    let deadline = api.loop.now + Self.limit
    // The events come first, so that a turn that they show as ended is in the trace, which is read
    // later. And after a crash a server may list a session as busy that has no agent.
    loaded = try await api.events(
      of: session.id,
      workspaceID: session.workspaceID,
      since: 0,
      until: deadline
    )
    (listed, trace) = try await api.session(
      session.id,
      workspaceID: session.workspaceID,
      until: deadline
    )
    now = api.loop.timestamp()
  }

  /// The session as the server describes it now.
  var session: Session { loaded?.session ?? listed }

  var events: [ServerMessage] { loaded?.events ?? [] }

  var standing: SessionGlance.Standing {
    guard let loaded else { return .idle }
    if session.status.isAtWork { return .atWork }
    let rest = now.milliseconds - listed.lastActivity.milliseconds
    guard rest < Self.longestPause.milliseconds else { return .idle }
    return loaded.events?.mayBeRetried == true ? .mayBeRetried : .idle
  }
}
