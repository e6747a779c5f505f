// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiTransport

extension IntentAPIClient {
  /// `GET /server/info`; `nil` on servers without the route.
  package func info(
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> ServerInfo? {
    do {
      let connection = connection ?? self.connection()
      return ServerInfo(
        json: try await call("GET", "/server/info", over: connection, until: deadline)
      )
    } catch .refused(404, _, _) {
      return nil
    }
  }

  /// The server's uptime in whole seconds; `nil` if it does not report it.
  package func uptime(until deadline: EventLoop.Instant) async throws(IntentError) -> Duration? {
    try await info(until: deadline)?.uptime
  }

  /// Throws if the server reports another identity than it was paired with.
  ///
  /// Over plain `http` nothing else distinguishes two servers at one address.
  ///
  /// - Returns: What the server reports; `nil` on servers that report nothing.
  @discardableResult
  package func checkIdentity(
    of server: PairedServer,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> ServerInfo? {
    guard let info = try await info(over: connection, until: deadline) else { return nil }
    guard info.fingerprint == nil || info.fingerprint == server.id else {
      throw .otherServer(server: server.name)
    }
    return info
  }
}
