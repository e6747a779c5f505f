// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

extension IntentAPIClient {
  /// `GET /server/info`; `nil` on servers without the route.
  ///
  /// Throws `.otherServer` if the server reports another identity than it was paired with. Over plain
  /// `http`, nothing else distinguishes two servers at one address.
  func info(
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> ServerInfo? {
    let info: ServerInfo
    do {
      let connection = connection ?? self.connection()
      info = ServerInfo(
        json: try await call("GET", "/server/info", over: connection, until: deadline)
      )
    } catch .refused(404, _, _) {
      return nil
    }
    guard let identity else { return info }
    let isOther = info.fingerprint.map { $0 != identity.id } ?? identity.isDoubted
    if isOther != identity.isDoubted { await identity.doubt(isOther) }
    guard !isOther else { throw .otherServer(server: serverName) }
    return info
  }

  /// The server's uptime in whole seconds; `nil` if it does not report it.
  func uptime(until deadline: EventLoop.Instant) async throws(IntentError) -> Duration? {
    try await info(until: deadline)?.uptime
  }
}

/// Who a paired server must be.
struct ExpectedIdentity: Sendable {
  let id: Fingerprint
  /// Whether another server answered the last time: then it is asked before anything is sent.
  let isDoubted: Bool
  /// Records the doubt for later commands.
  let doubt: @Sendable (Bool) async -> Void
}
