// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Opens the stream of a session on whichever dialect its server speaks.
struct SessionStreamOpener: Sendable {
  let api: IntentAPIClient

  /// Opens `/stream`, or the session's own stream where the server is known to have, or turns out
  /// to have, only that.
  func open(
    for session: ServerSession,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> IntentWebSocket {
    if session.server.dialect != .perSession {
      do {
        return try await IntentWebSocket.openMultiplexed(api, until: deadline)
      } catch .refused(404, _, _) where session.workspaceID != nil {
        // The older dialect; its stream is found by the workspace.
      }
    }
    do {
      return try await openPerSession(session, until: deadline)
    } catch .refused(404, _, _) {
      // Older servers answer so for sessions that they do not know.
      throw .unknownSession(name: session.id)
    }
  }

  /// Opens the session's own stream, or `/stream` where a server that had only the older dialect was
  /// upgraded since.
  func openPerSession(
    _ session: ServerSession,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> IntentWebSocket {
    guard let workspaceID = session.workspaceID else {
      throw .unknownSession(name: session.id)
    }
    do {
      return try await IntentWebSocket.openPerSession(
        api,
        workspaceID: workspaceID,
        sessionID: session.id,
        until: deadline
      )
    } catch .refused(404, _, _) where session.server.dialect == .perSession {
      return try await IntentWebSocket.openMultiplexed(api, until: deadline)
    }
  }
}
