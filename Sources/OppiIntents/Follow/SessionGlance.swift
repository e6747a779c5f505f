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
  /// No agent pauses for longer before it tries again; the clocks may differ a little.
  private static let longestPause = Duration.seconds(60)

  /// Looks at a session.
  ///
  /// - Throws: Where the server cannot be asked, or knows no such session.
  package static func at(
    _ session: ServerSession,
    api: IntentAPIClient
  ) async throws(IntentError) -> SessionGlance {
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    let deadline = api.loop.now + limit
    // The events first: a turn that they show to be over is in a trace that is asked for later. And
    // a server that crashed may list a session as busy that has no agent any more.
    let loaded = try await api.events(
      of: session.id,
      workspaceID: workspaceID,
      since: 0,
      until: deadline
    )
    let (current, trace) = try await api.session(
      session.id,
      workspaceID: workspaceID,
      until: deadline
    )
    let now = api.loop.timestamp()
    return SessionGlance(
      standing: standing(current, loaded, now: now),
      session: loaded?.session ?? current,
      lastTurn: ActivityReducer.lastTurn(
        trace: trace,
        session: loaded?.session ?? current,
        events: loaded?.events ?? [],
        at: now
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

  private static func standing(
    _ session: Session,
    _ loaded: IntentAPIClient.Events?,
    now: Timestamp
  ) -> Standing {
    guard let loaded else { return .idle }
    if (loaded.session?.status ?? session.status).isAtWork { return .atWork }
    let rest = now.milliseconds - session.lastActivity.milliseconds
    guard rest < longestPause.milliseconds else { return .idle }
    return loaded.events?.mayBeRetried == true ? .mayBeRetried : .idle
  }
}
