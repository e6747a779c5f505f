// SPDX-License-Identifier: MIT

import HTTPCodec
import TestSupport
import Testing

@testable import OppiTransport

/// No secret of this process comes back through a server.
@Suite struct KnownSecretsTests {
  private static let secret = "at_abcdefghijklmnopqrstuvwx"

  @Test("a response's body has no known secret, unless it issues secrets")
  func body() throws {
    for issues in [false, true] {
      try onLoop { loop in
        let network = Network(loop: loop, environment: [:])
        network.secrets.learn(Self.secret)
        let talk = try await Conversation(on: loop) { accepted in
          let stream = try await accepted.open()
          let request = try await stream.readRequest()
          let header = request.headers["Authorization"] ?? ""
          try await stream.write(HTTPResponse(status: 500, body: Array(header.utf8)).encoded())
        } client: { port in
          let connection = HTTPConnection(network: network, destination: try .local(port))
          let request = HTTPRequest(
            method: "GET",
            target: "/",
            headers: ["Authorization": "Bearer \(Self.secret)"]
          )
          return try await connection.exchange(
            request,
            bodyLimit: 100,
            issuingSecrets: issues,
            until: .farOff
          ).response
        }
        let text = String(decoding: try talk.client.get().body, as: UTF8.self)
        #expect(text == (issues ? "Bearer \(Self.secret)" : "Bearer [secret]"))
      }
    }
  }

  @Test("the messages and the closing reason of a WebSocket have no known secret")
  func frames() throws {
    try onLoop { loop in
      let network = Network(loop: loop, environment: [:])
      network.secrets.learn(Self.secret)
      let talk = try await Conversation(on: loop) { accepted in
        let stream = try await accepted.open()
        let answer = try HTTPResponse.switching(for: try await stream.readRequest()).encoded()
        let text = Array(Self.secret.utf8)
        let message = [0x81, UInt8(text.count)] + text
        try await stream.write(answer + message + [0x88, UInt8(text.count + 2), 3, 240] + text)
      } client: { port in
        let socket = try await WebSocketStream.connect(
          network: network,
          to: try .local(port),
          target: "/stream",
          headers: HTTPHeaders(),
          until: .farOff
        )
        return [
          try await socket.receive(until: .farOff), try await socket.receive(until: .farOff),
        ]
      }
      let received = try talk.client.get()
      guard case .message(let bytes) = received[0], case .closed(_, let reason) = received[1] else {
        Issue.record("\(received)")
        return
      }
      #expect(bytes == Array("[secret]".utf8) && reason == "[secret]")
    }
  }
}
