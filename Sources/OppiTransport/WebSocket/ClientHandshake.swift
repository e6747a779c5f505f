// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiText
import WebSocketCodec

/// The client side of the opening handshake (RFC 6455 section 4.1).
///
/// Offers no extension or subprotocol, and sends no Origin.
package struct ClientHandshake {
  /// The value of Sec-WebSocket-Key.
  let key: String

  /// Creates a handshake from 16 random bytes, different for each connection.
  init(keyBytes: [UInt8]) {
    precondition(keyBytes.count == 16, "a handshake key has 16 bytes")
    key = Base64.encode(keyBytes)
  }

  /// The headers of the GET request that upgrade the connection.
  var headers: HTTPHeaders {
    [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": key,
      "Sec-WebSocket-Version": "13",
    ]
  }

  /// Checks that the server's response opens the WebSocket.
  ///
  /// - Throws: The first missing or unexpected element of the response.
  func validate(_ response: HTTPResponse) throws(HandshakeError) {
    guard response.status == 101 else { throw .status(response.status) }
    let headers = response.headers
    guard headers.hasToken("websocket", in: "Upgrade") else { throw .missingUpgrade }
    guard headers.hasToken("Upgrade", in: "Connection") else { throw .missingConnection }
    guard headers.values(of: "Sec-WebSocket-Accept") == [Self.accept(forKey: key)] else {
      throw .wrongAccept
    }
    guard headers.values(of: "Sec-WebSocket-Extensions").isEmpty else { throw .unofferedExtension }
    guard headers["Sec-WebSocket-Protocol"] == nil else { throw .unofferedSubprotocol }
  }

  /// Returns the server's Sec-WebSocket-Accept for a key.
  package static func accept(forKey key: String) -> String {
    let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    return Base64.encode(SHA1.digest(Array((key + guid).utf8)))
  }
}

/// The reason why the response to the opening handshake is invalid (RFC 6455 section 4.1).
package enum HandshakeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The status is not 101.
  case status(Int)
  case missingUpgrade
  case missingConnection
  /// The response does not prove that the server received the key.
  case wrongAccept
  case unofferedExtension
  case unofferedSubprotocol

  /// A short description in lower case, without text from the server.
  package var description: String {
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

/// The hash function of the opening handshake (FIPS 180-4, RFC 3174).
///
/// It provides no security there; it only proves that the server received the key.
enum SHA1 {
  static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    let blockEnd = (padded.count + 8 + 63) / 64 * 64
    padded += Array(repeating: 0, count: blockEnd - 8 - padded.count)
    padded += (UInt64(message.count) * 8).bigEndianBytes

    var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) {
      mix(padded[start..<start + 64], into: &hash)
    }
    return hash.flatMap(\.bigEndianBytes)
  }

  private static func mix(_ block: ArraySlice<UInt8>, into hash: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
      UInt32(bigEndianBytes: block[start..<start + 4])
    }
    for index in 16..<80 {
      let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append(rotate(word, by: 1))
    }
    var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
    for (index, word) in words.enumerated() {
      let (choice, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(a, by: 5) &+ choice &+ e &+ constant &+ word
      (a, b, c, d, e) = (next, a, rotate(b, by: 30), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { hash[index] &+= value }
  }

  private static func rotate(_ word: UInt32, by bits: Int) -> UInt32 {
    word << bits | word >> (32 - bits)
  }
}
