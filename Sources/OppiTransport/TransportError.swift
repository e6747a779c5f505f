// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiModel
package import WebSocketCodec

/// Why a server could not be talked to.
package enum TransportError: Error, Equatable {
  /// A step of the conversation, for the texts of failures.
  package enum Step: String, Sendable {
    case lookup = "looking up the host name"
    case connect = "connecting"
    case proxy = "asking the proxy"
    case tls = "the TLS handshake"
    case request = "sending the request"
    case answer = "waiting for the answer"
  }

  case cancelled
  case timedOut(Step)
  case lookupFailed(reason: String)
  /// The last of the addresses' failures.
  case connectFailed(SystemError)
  case proxyFailed(reason: String)
  /// libssl is not installed.
  case tlsUnavailable
  case tlsFailed(reason: String)
  /// The certificate is not one that the system's authorities vouch for under this name.
  case certificateRejected(reason: String)
  /// The certificate is not the one that was pinned at pairing.
  case pinMismatch(found: Fingerprint)
  /// The connection ended in the middle.
  case closed(Step)
  case ioFailed(SystemError)
  case malformedRequest(HTTPEncodingError)
  case malformedAnswer(HTTPError)
  case upgradeRefused(HandshakeError)
  case webSocketBroken(ProtocolError)
}

extension EventLoop.WaitError {
  /// The error of a transport step whose wait ended so.
  func transportError(during step: TransportError.Step) -> TransportError {
    switch self {
    case .timedOut: .timedOut(step)
    case .cancelled: .cancelled
    }
  }
}
