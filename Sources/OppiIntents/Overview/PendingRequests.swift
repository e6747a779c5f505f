// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// What the sessions of a server wait for.
struct PendingRequests: Sendable {
  var permissions: [PermissionRequest] = []
  /// How far the server's clock is ahead; `nil` if it is not known better than from the list.
  var clockOffset: Duration?

  /// Reads them.
  ///
  /// - Parameters:
  ///   - api: The server.
  ///   - list: Its sessions, with the number of their dialogs where the server counts them.
  ///   - connection: A connection to the server.
  ///   - deadline: The end of the query.
  /// - Throws: If the server cannot be queried; 404 if it is not known yet that it has no gate.
  init(
    api: IntentAPIClient,
    in list: IntentAPIClient.SessionList?,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) {
    guard api.dialect?.requests != .dialogs else { return }
    let pending = try await api.pendingPermissions(over: connection, until: deadline)
    (permissions, clockOffset) = (pending.requests, pending.clockOffset)
  }
}
