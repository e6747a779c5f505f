// SPDX-License-Identifier: MIT

/// The client side of the opening handshake (RFC 6455 section 4.1).
///
/// Offers no extension or subprotocol, and sends no Origin.
public struct ClientHandshake: Hashable, Sendable {
  /// The value of Sec-WebSocket-Key.
  public let key: String

  /// Creates a handshake from 16 random bytes, different for each connection.
  public init(keyBytes: [UInt8]) {
    precondition(keyBytes.count == 16, "a handshake key has 16 bytes")
    key = Base64.encode(keyBytes)
  }

  /// The headers of the GET request that upgrade the connection.
  public var headers: [(name: String, value: String)] {
    [
      ("Upgrade", "websocket"),
      ("Connection", "Upgrade"),
      ("Sec-WebSocket-Key", key),
      ("Sec-WebSocket-Version", "13"),
    ]
  }

  /// Checks that the server's response opens the WebSocket.
  ///
  /// - Throws: The first missing or unexpected element of the response.
  public func validate(
    status: Int,
    headers: [(name: String, value: String)]
  ) throws(HandshakeError) {
    guard status == 101 else { throw .status(status) }
    func values(of name: String) -> [String] {
      headers.filter { $0.name.equalsIgnoringCase(name) }.map(\.value.trimmed)
    }
    func hasToken(_ token: String, in name: String) -> Bool {
      values(of: name).flatMap { $0.split(separator: ",") }
        .contains { String($0).trimmed.equalsIgnoringCase(token) }
    }
    guard hasToken("websocket", in: "Upgrade") else { throw .missingUpgrade }
    guard hasToken("Upgrade", in: "Connection") else { throw .missingConnection }
    guard values(of: "Sec-WebSocket-Accept") == [Self.accept(forKey: key)] else {
      throw .wrongAccept
    }
    guard values(of: "Sec-WebSocket-Extensions").allSatisfy(\.isEmpty) else {
      throw .unofferedExtension
    }
    guard values(of: "Sec-WebSocket-Protocol").isEmpty else { throw .unofferedSubprotocol }
  }

  /// Returns the server's Sec-WebSocket-Accept for a key.
  public static func accept(forKey key: String) -> String {
    let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    return Base64.encode(SHA1.digest(Array((key + guid).utf8)))
  }
}

extension String {
  /// Compares names as HTTP does: ignores the case of ASCII letters only.
  fileprivate func equalsIgnoringCase(_ other: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
    return utf8.elementsEqual(other.utf8) { folded($0) == folded($1) }
  }

  fileprivate var trimmed: String {
    func isBlank(_ character: Character?) -> Bool { character == " " || character == "\t" }
    var text = self[...]
    while isBlank(text.first) { text.removeFirst() }
    while isBlank(text.last) { text.removeLast() }
    return String(text)
  }
}
