// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiTransport

/// How a session stands, asked over REST: no agent is started and no place taken.
package struct SessionGlance: Sendable {
  /// What the session does.
  package enum Standing: Sendable {
    case atWork
    /// Its last run failed a moment ago, and another attempt may be about to begin.
    case mayBeRetried
    case idle
  }

  /// What the session does.
  package var standing: Standing
  /// The session as the server describes it now.
  package var session: Session
  /// The last turn as far as it can be known; `nil` where there was none.
  package var lastTurn: TurnActivity?

  private static let limit = Duration.seconds(5)

  /// Looks at a session.
  ///
  /// - Throws: Where the server cannot be asked, or knows no such session.
  package static func at(
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

  /// The session with its workspace, which requests about it name, too.
  package static func located(
    _ session: ServerSession,
    api: IntentAPIClient
  ) async throws(IntentError) -> ServerSession {
    guard session.workspaceID == nil else { return session }
    let all = try await api.listSessions(until: api.loop.now + limit)
    guard let found = all.first(where: { $0.id == session.id }) else {
      throw .unknownSession(name: session.id)
    }
    var session = session
    session.workspaceID = found.workspaceID
    session.workspaceName = found.workspaceName
    return session
  }
}
