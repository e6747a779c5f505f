// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Opens a session's stream in the dialect that its server speaks.
struct SessionStreamOpener: Sendable {
  let api: IntentAPIClient

  /// Opens `/stream`, or the session's own stream on servers of the older dialect.
  func open(
    for session: ServerSession,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> IntentWebSocket {
    if session.server.dialect?.stream != .perSession {
      do {
        return try await IntentWebSocket.openMultiplexed(api, until: deadline)
      } catch .refused(404, _, _) where session.workspaceID != nil {
        // The older dialect, whose stream path needs the workspace.
      }
    }
    do {
      return try await openPerSession(session, until: deadline)
    } catch .refused(404, _, _) {
      // Older servers answer 404 for unknown sessions.
      throw .unknownSession(name: session.id)
    }
  }

  /// Opens the session's own stream, or `/stream` if the server was upgraded from the older
  /// dialect.
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
    } catch .refused(404, _, _) where session.server.dialect?.stream == .perSession {
      return try await IntentWebSocket.openMultiplexed(api, until: deadline)
    }
  }
}
