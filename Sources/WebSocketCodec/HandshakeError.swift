// SPDX-License-Identifier: MIT

/// The reason why the response to the opening handshake is invalid (RFC 6455 section 4.1).
public enum HandshakeError: Error, Hashable, Sendable {
  /// The status is not 101.
  case status(Int)
  case missingUpgrade
  case missingConnection
  /// The response does not prove that the server received the key.
  case wrongAccept
  case unofferedExtension
  case unofferedSubprotocol
}

extension HandshakeError: CustomStringConvertible {
  /// A short description in lower case, without text from the server.
  public var description: String {
    switch self {
    case .status(let status): "status \(status) instead of 101"
    case .missingUpgrade: "the response has no 'Upgrade: websocket' header"
    case .missingConnection: "the response has no 'Connection: upgrade' header"
    case .wrongAccept: "the Sec-WebSocket-Accept header is wrong"
    case .unofferedExtension: "the server selected an extension that was not offered"
    case .unofferedSubprotocol: "the server selected a subprotocol that was not offered"
    }
  }
}
