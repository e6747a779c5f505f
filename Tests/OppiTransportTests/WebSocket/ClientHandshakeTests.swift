// SPDX-License-Identifier: MIT

import HTTPCodec
import Testing

@testable import OppiTransport

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
      handshake.headers.fields.map { "\($0.name): \($0.value)" } == [
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

    var response: HTTPResponse {
      let pairs = [
        ("Upgrade", upgrade), ("connection", connection), ("SEC-WEBSOCKET-ACCEPT", accept),
      ]
      let fields = pairs.compactMap { name, value in value.map { (name, $0) } } + more
      return HTTPResponse(status: status, headers: HTTPHeaders(fields))
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
      try handshake.validate(answer.response)
      return nil
    } catch {
      return error
    }
  }
}

@Suite("SHA-1")
struct SHA1Tests {
  @Test(
    "the messages of RFC 3174, and others of any padding, have their digests",
    arguments: [
      ("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      ("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
      ),
      ("01234567", 80, "dea356a2cddd90c7a7ecedc5ebb563934f460452"),
      // The padding just fits.
      ("a", 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
      // The padding needs one more block.
      ("a", 56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
      ("a", 100_000, "c4d4b30851182fc4eb8675494d42fd7f17e29c93"),
    ] as [(String, Int, String)]
  )
  func vectors(text: String, count: Int, expected: String) {
    let digest = SHA1.digest(Array(String(repeating: text, count: count).utf8))
    let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hex == expected)
  }
}
