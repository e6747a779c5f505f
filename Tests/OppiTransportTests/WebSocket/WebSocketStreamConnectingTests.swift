// SPDX-License-Identifier: MIT

import HTTPCodec
import TestSupport
import Testing

@testable import OppiTransport

@Suite("WebSocketStream, connecting")
struct WebSocketStreamConnectingTests {
  /// Connects to a server that answers the upgrade with the given bytes, and closes if `hangsUp` is
  /// set.
  private func connect(
    answer: @escaping @Sendable (HTTPRequest) throws -> [UInt8],
    hangsUp: Bool = true
  ) throws -> Conversation<HTTPRequest, Void> {
    try onLoop { loop in
      try await Conversation(on: loop) { accepted in
        let stream = try await accepted.open()
        let request = try await stream.readRequest()
        try await stream.write(try answer(request))
        if !hangsUp { _ = await stream.readToEnd() }
        return request
      } client: { port in
        _ = try await WebSocketStream.connect(
          port,
          on: loop,
          headers: ["Authorization": "Bearer t"],
          within: .seconds(5)
        )
      }
    }
  }

  @Test("the request has the upgrade headers, the caller's headers and a new key")
  func request() throws {
    let requests = try (0..<2).map { _ in
      let talk = try connect { try HTTPResponse.switching(for: $0).encoded() }
      try talk.client.get()
      return try talk.server.get()
    }
    for request in requests {
      #expect(request.method == "GET")
      #expect(request.target == "/stream")
      #expect(request.headers["Authorization"] == "Bearer t")
      #expect(request.headers["Upgrade"] == "websocket")
      #expect(request.headers["Origin"] == nil)
    }
    #expect(Set(requests.map { $0.headers["Sec-WebSocket-Key"] }).count == 2)
  }

  @Test(
    "a refusal is detected from its head, with or without a body",
    arguments: [
      "HTTP/1.1 404 Not Found\r\n\r\n",
      "HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\npart",
      "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n",
    ]
  )
  func refusedByHead(answer: String) throws {
    for hangsUp in [true, false] {
      let talk = try connect(answer: { _ in Array(answer.utf8) }, hangsUp: hangsUp)
      #expect(throws: TransportError.upgradeRefused(.status(404))) { try talk.client.get() }
    }
  }

  @Test("an invalid upgrade response is rejected")
  func wrongAnswer() throws {
    let talk = try connect { _ in
      try HTTPResponse.switching(for: HTTPRequest(method: "GET", target: "/")).encoded()
    }
    #expect(throws: TransportError.upgradeRefused(.wrongAccept)) { try talk.client.get() }
  }

  @Test("a truncated response fails as closed, and a missing one times out")
  func noAnswer() throws {
    let cut = try connect { _ in Array("HTTP/1.1 101 Switching".utf8) }
    #expect(throws: TransportError.closed(.answer)) { try cut.client.get() }
    try onLoop { loop in
      let listener = try Listener(loop: loop)
      await #expect(throws: TransportError.timedOut(.answer)) {
        try await WebSocketStream.connect(listener.port, on: loop, within: .milliseconds(300))
      }
    }
  }

  @Test("an invalid target opens no connection")
  func malformedTarget() throws {
    let closed = try RawSocket()
    let port = closed.port
    #expect(throws: TransportError.malformedRequest(.invalidTarget)) {
      try onLoop { loop in
        _ = try await WebSocketStream.connect(
          network: Network(loop: loop, environment: [:]),
          to: .local(port),
          target: "stream",
          headers: [:],
          until: .farOff
        )
      }
    }
  }
}
