// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTransport

/// Brings the user's word on a tool call to the server, by the way that its dialect has.
package struct PermissionDecider: Sendable {
  private static let limit = Duration.seconds(5)

  private let api: IntentAPIClient
  private let newID: @Sendable () -> String

  package init(api: IntentAPIClient, newID: @escaping @Sendable () -> String) {
    self.api = api
    self.newID = newID
  }

  /// Decides for this one call.
  ///
  /// - Parameters:
  ///   - decision: The user's word.
  ///   - request: The tool call that waits.
  ///   - session: The session that it is of.
  ///   - sending: Sends over the session's open stream, for servers of the older dialect.
  /// - Returns: False where it was decided, expired or gone already.
  /// - Throws: Where the server could not be told.
  package func decide(
    _ decision: PermissionDecision,
    _ request: PermissionRequest,
    of session: ServerSession,
    sending: (ClientMessage, String, EventLoop.Instant) async throws(IntentError) -> Void
  ) async throws(IntentError) -> Bool {
    let deadline = EventLoop.Instant.now + Self.limit
    if session.server.dialect == .perSession {
      try await sending(.decide(permissionID: request.id, decision), newID(), deadline)
      return true
    }
    // REST checks the words of an answer, and says at once whether it came in time.
    return try await api.decide(decision, permissionID: request.id, until: deadline)
  }
}
