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
    case .status(let status): "the server answered \(status) instead of 101"
    case .missingUpgrade: "the answer does not upgrade to websocket"
    case .missingConnection: "the answer lacks connection: upgrade"
    case .wrongAccept: "the answer does not fit the key"
    case .unofferedExtension: "the server chose an extension that was not offered"
    case .unofferedSubprotocol: "the server chose a subprotocol that was not offered"
    }
  }
}
