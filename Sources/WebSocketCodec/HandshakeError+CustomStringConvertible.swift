// SPDX-License-Identifier: MIT

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
