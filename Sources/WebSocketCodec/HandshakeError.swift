// SPDX-License-Identifier: MIT

/// Why an answer to the opening handshake is not a WebSocket (RFC 6455 section 4.1).
public enum HandshakeError: Error, Hashable, Sendable {
  /// The server answered with another status than 101.
  case status(Int)
  /// The answer does not upgrade to websocket.
  case missingUpgrade
  /// The answer's Connection header does not hold `Upgrade`.
  case missingConnection
  /// The answer does not prove that the server read the key.
  case wrongAccept
  /// The server chose an extension that was not offered.
  case unofferedExtension
  /// The server chose a subprotocol that was not offered.
  case unofferedSubprotocol
}

extension HandshakeError: CustomStringConvertible {
  /// A few lower-case words about what is wrong, without text of the server.
  public var description: String {
    switch self {
    case .status(let status): "the server answered \(status) instead of 101"
    case .missingUpgrade: "the answer does not upgrade to websocket"
    case .missingConnection: "the answer lacks connection: upgrade"
    case .wrongAccept: "the answer does not fit the key"
    case .unofferedExtension: "the server chose an extension that was not offered"
    case .unofferedSubprotocol: "the server chose a subprotocol that was not offered"
    }
  }
}
