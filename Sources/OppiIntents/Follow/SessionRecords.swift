// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// What a server has written down of a session, asked over REST: no agent is started and no place
/// taken.
struct SessionRecords: Sendable {
  private static let limit = Duration.seconds(5)
  /// No agent pauses for longer before it tries again; the clocks may differ a little.
  private static let longestPause = Duration.seconds(60)

  /// The durable events of the agent; `nil` where none is loaded.
  let loaded: IntentAPIClient.Events?
  private let listed: Session
  let trace: JSONValue
  /// When they were asked for.
  let now: Timestamp

  /// Asks for them.
  ///
  /// - Throws: Where the server cannot be asked, or knows no such session.
  init(of session: ServerSession, api: IntentAPIClient) async throws(IntentError) {
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    let deadline = api.loop.now + Self.limit
    // The events first: a turn that they show to be over is in a trace that is asked for later. And
    // a server that crashed may list a session as busy that has no agent any more.
    loaded = try await api.events(
      of: session.id,
      workspaceID: workspaceID,
      since: 0,
      until: deadline
    )
    (listed, trace) = try await api.session(
      session.id,
      workspaceID: workspaceID,
      until: deadline
    )
    now = api.loop.timestamp()
  }

  /// The session as the server describes it now.
  var session: Session { loaded?.session ?? listed }

  var events: [ServerMessage] { loaded?.events ?? [] }

  /// What the session does.
  var standing: SessionGlance.Standing {
    guard let loaded else { return .idle }
    if session.status.isAtWork { return .atWork }
    let rest = now.milliseconds - listed.lastActivity.milliseconds
    guard rest < Self.longestPause.milliseconds else { return .idle }
    return loaded.events?.mayBeRetried == true ? .mayBeRetried : .idle
  }
}
