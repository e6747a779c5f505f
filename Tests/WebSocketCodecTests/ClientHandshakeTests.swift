// SPDX-License-Identifier: MIT

import Testing

@testable import WebSocketCodec

@Suite("ClientHandshake")
struct ClientHandshakeTests {
  /// The example of RFC 6455 section 1.3.
  private let handshake = ClientHandshake(keyBytes: Array("the sample nonce".utf8))
  private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  @Test("the key of RFC 6455 section 1.3 has the accept value listed there")
  func example() {
    #expect(handshake.key == "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(ClientHandshake.accept(forKey: handshake.key) == Self.accept)
  }

  @Test("the request has the upgrade headers and offers no extension")
  func headers() {
    #expect(
      handshake.headers.map { "\($0.name): \($0.value)" } == [
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
      ]
    )
  }

  struct Answer: Identifiable, Sendable {
    let id: String
    var status = 101
    var upgrade: String? = "websocket"
    var connection: String? = "Upgrade"
    var accept: String? = ClientHandshakeTests.accept
    var more: [(name: String, value: String)] = []
    var error: HandshakeError?

    var headers: [(name: String, value: String)] {
      let pairs = [
        ("Upgrade", upgrade), ("connection", connection), ("SEC-WEBSOCKET-ACCEPT", accept),
      ]
      return pairs.compactMap { name, value in value.map { (name, $0) } } + more
    }
  }

  @Test(
    "each header of a response is checked",
    arguments: [
      Answer(id: "plain"),
      Answer(id: "other case", upgrade: "WebSocket", connection: "upgrade"),
      Answer(id: "lists", upgrade: "foo , websocket", connection: "keep-alive,\tUpgrade"),
      Answer(id: "blanks around the accept", accept: " \(accept)\t"),
      Answer(id: "empty extensions", more: [("Sec-WebSocket-Extensions", "")]),
      Answer(id: "401", status: 401, error: .status(401)),
      Answer(id: "404 without headers", status: 404, upgrade: nil, error: .status(404)),
      Answer(id: "200 with all headers", status: 200, error: .status(200)),
      Answer(id: "no upgrade", upgrade: nil, error: .missingUpgrade),
      Answer(id: "other upgrade", upgrade: "h2c", error: .missingUpgrade),
      Answer(id: "longer upgrade", upgrade: "websockets", error: .missingUpgrade),
      Answer(id: "no connection", connection: nil, error: .missingConnection),
      Answer(id: "other connection", connection: "close", error: .missingConnection),
      Answer(id: "no accept", accept: nil, error: .wrongAccept),
      Answer(id: "other case of the accept", accept: accept.lowercased(), error: .wrongAccept),
      Answer(
        id: "two accepts",
        more: [("Sec-WebSocket-Accept", accept)],
        error: .wrongAccept
      ),
      Answer(
        id: "extension",
        more: [("Sec-WebSocket-Extensions", "permessage-deflate")],
        error: .unofferedExtension
      ),
      Answer(
        id: "subprotocol",
        more: [("sec-websocket-protocol", "oppi")],
        error: .unofferedSubprotocol
      ),
    ]
  )
  func answers(answer: Answer) {
    #expect(validationError(of: answer) == answer.error)
  }

  private func validationError(of answer: Answer) -> HandshakeError? {
    do throws(HandshakeError) {
      try handshake.validate(status: answer.status, headers: answer.headers)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "each error has a message",
    arguments: [
      (.status(503), "status 503 instead of 101"),
      (.missingUpgrade, "the response has no 'Upgrade: websocket' header"),
      (.missingConnection, "the response has no 'Connection: upgrade' header"),
      (.wrongAccept, "the Sec-WebSocket-Accept header is wrong"),
      (.unofferedExtension, "the server selected an extension that was not offered"),
      (.unofferedSubprotocol, "the server selected a subprotocol that was not offered"),
    ] as [(HandshakeError, String)]
  )
  func words(error: HandshakeError, text: String) {
    #expect(error.description == text)
  }
}

@Suite("SHA-1")
struct SHA1Tests {
  struct Vector: Identifiable, Sendable {
    let id: String
    let message: String
    let digest: String
  }

  @Test(
    "the messages of RFC 3174 have the digests of RFC 3174",
    arguments: [
      Vector(id: "empty", message: "", digest: "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      Vector(id: "abc", message: "abc", digest: "a9993e364706816aba3e25717850c26c9cd0d89d"),
      Vector(
        id: "two blocks",
        message: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        digest: "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
      ),
      Vector(
        id: "ten blocks",
        message: String(repeating: "01234567", count: 80),
        digest: "dea356a2cddd90c7a7ecedc5ebb563934f460452"
      ),
      Vector(
        id: "padding that just fits",
        message: String(repeating: "a", count: 55),
        digest: "c1c8bbdc22796e28c0e15163d20899b65621d65a"
      ),
      Vector(
        id: "padding that needs one more block",
        message: String(repeating: "a", count: 56),
        digest: "c2db330f6083854c99d4b5bfb6e8f29f201be699"
      ),
      Vector(
        id: "100,000 times a",
        message: String(repeating: "a", count: 100_000),
        digest: "c4d4b30851182fc4eb8675494d42fd7f17e29c93"
      ),
    ]
  )
  func vectors(vector: Vector) {
    let digest = SHA1.digest(Array(vector.message.utf8))
    let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hex == vector.digest)
  }
}

@Suite("Base64")
struct Base64Tests {
  @Test(
    "the texts of RFC 4648 section 10 encode as listed there",
    arguments: zip(
      ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
      ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]
    )
  )
  func vectors(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
  }

  @Test("bytes with high bits use the last letters of the alphabet")
  func highBits() {
    #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
  }
}
