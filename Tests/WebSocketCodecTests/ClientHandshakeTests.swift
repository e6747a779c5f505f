// SPDX-License-Identifier: MIT

import Testing
import WebSocketCodec

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
