// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

extension OppiError {
  init(_ error: TransportError, server: String) {
    let unreachable = "Can't reach \(server)"
    switch error {
    case .cancelled: self.init(.interrupted, "interrupted")
    case .timedOut(let step):
      self.init(
        .timedOut,
        "Connection timed out: \(server) (\(step.rawValue))",
        hints: ["check that the server is running and its address is correct: oppi servers"]
      )
    case .lookupFailed(let reason):
      self.init(.serverUnreachable, "\(unreachable): \(reason)", hints: [Self.checkAddress])
    case .connectFailed(let cause), .ioFailed(let cause):
      self.init(.serverUnreachable, "\(unreachable): \(cause)", hints: [Self.checkAddress])
    case .closed(let step):
      self.init(
        .serverUnreachable,
        "\(server) closed the connection (\(step.rawValue))",
        hints: [Self.testServers]
      )
    case .proxyFailed(let reason):
      self.init(
        .serverUnreachable,
        "\(unreachable): proxy error: \(reason.safeLine())",
        hints: [Self.testServers]
      )
    case .tlsUnavailable, .tlsFailed, .certificateRejected, .pinMismatch:
      self.init(tls: error, server: server)
    case .malformedRequest(let cause):
      self.init(.bug, "invalid request: \(cause)")
    case .malformedAnswer(let cause):
      self.init(brokenProtocol: "\(server) sent an invalid HTTP response: \(cause)")
    case .upgradeRefused(let cause):
      self.init(brokenProtocol: "the WebSocket handshake with \(server) failed: \(cause)")
    case .webSocketBroken(let cause):
      self.init(brokenProtocol: "\(server) violated the WebSocket protocol: \(cause)")
    }
  }

  /// Why there is no secure connection.
  private init(tls error: TransportError, server: String) {
    switch error {
    case .tlsUnavailable:
      self.init(
        .tlsUnavailable,
        "Can't reach \(server): https requires OpenSSL's libssl, which is not installed",
        hints: ["install it (Debian: apt install libssl3)"]
      )
    case .tlsFailed(let reason):
      self.init(
        .serverUnreachable,
        "Can't reach \(server): TLS failed: \(reason.safeLine())",
        hints: [Self.testServers]
      )
    case .certificateRejected(let reason):
      self.init(
        .certificateRejected,
        "the certificate of \(server) is not trusted: \(reason.safeLine())",
        hints: ["pair with an invite that pins the certificate"]
      )
    case .pinMismatch(let found):
      self.init(
        .pinMismatch,
        "the certificate of \(server) does not match its pin; nothing was sent",
        hints: [
          "the certificate is now \(found); if it was replaced, pair again with a new invite"
        ]
      )
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }

  private static let checkAddress = "check the address with: oppi servers"
  /// Does not suggest a retry, because a prompt may have been in transit.
  private static let testServers = "test the connection with: oppi servers test"
}
