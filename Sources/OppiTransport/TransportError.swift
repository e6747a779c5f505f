// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiModel
package import WebSocketCodec

package enum TransportError: Error, Equatable {
  /// A step of the communication, as error messages name it.
  package enum Step: String, Sendable {
    case lookup = "looking up the host name"
    case connect = "connecting"
    case proxy = "opening the proxy tunnel"
    case tls = "TLS handshake"
    case request = "sending the request"
    case answer = "waiting for the response"
  }

  case cancelled
  case timedOut(Step)
  case lookupFailed(reason: String)
  /// The failure of the last attempt.
  case connectFailed(SystemError)
  case proxyFailed(reason: String)
  case tlsUnavailable
  case tlsFailed(reason: String)
  /// No system authority vouches for the certificate and the name.
  case certificateRejected(reason: String)
  /// The certificate is not the one pinned at pairing.
  case pinMismatch(found: Fingerprint)
  /// The connection was closed during the step.
  case closed(Step)
  case ioFailed(SystemError)
  case malformedRequest(HTTPEncodingError)
  case malformedAnswer(HTTPError)
  case upgradeRefused(HandshakeError)
  case webSocketBroken(ProtocolError)
}

extension EventLoop.WaitError {
  func transportError(during step: TransportError.Step) -> TransportError {
    switch self {
    case .timedOut: .timedOut(step)
    case .cancelled: .cancelled
    }
  }
}
