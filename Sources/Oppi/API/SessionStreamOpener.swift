// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Opens a session's stream in the dialect that its server speaks.
struct SessionStreamOpener: Sendable {
  let api: IntentAPIClient

  /// Opens the stream that the server is known to have, or else the one that it turns out to have.
  func open(
    for session: ServerSession,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> IntentWebSocket {
    if session.server.dialect?.stream.needsWorkspace != true {
      do {
        return try await IntentWebSocket.openMultiplexed(api, until: deadline)
      } catch .refused(404, _, _) where session.workspaceID != nil {
        // A server whose sessions have their own streams, whose path needs the workspace.
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
    let known = session.server.dialect?.stream
    do {
      return try await IntentWebSocket.openPerSession(
        api,
        workspaceID: workspaceID,
        sessionID: session.id,
        kind: known?.needsWorkspace == true ? known : nil,
        until: deadline
      )
    } catch .refused(404, _, _) where known?.needsWorkspace == true {
      return try await IntentWebSocket.openMultiplexed(api, until: deadline)
    }
  }
}
