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
