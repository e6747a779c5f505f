// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import TestSupport
import Testing
import WebSocketCodec

@testable import OppiTransport

/// The server end of a WebSocket as a state machine over bytes, to violate the protocol on purpose.
struct WebSocketPeer {
  let stream: SharedStream
  private var connection = WebSocketConnection(role: .server)
  private var random = SystemRandomNumberGenerator()

  init(over stream: SharedStream) { self.stream = stream }

  /// Sends frames unchanged.
  func send(_ frames: Frame...) async throws { try await stream.write(Self.bytes(of: frames)) }

  static func bytes(of frames: [Frame]) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    for frame in frames { frame.encode(from: .server, into: &bytes, using: &random) }
    return bytes
  }

  /// Returns the next event from the client; `nil` at the end of the stream.
  mutating func next() async throws -> WebSocketConnection.Event? {
    while true {
      if let event = try connection.next(using: &random) { return event }
      let bytes = try await stream.read()
      if bytes.isEmpty { return nil }
      connection.receive(bytes)
    }
  }
}

extension HTTPResponse {
  /// The response that opens a WebSocket.
  static func switching(for request: HTTPRequest) -> HTTPResponse {
    let accept = ClientHandshake.accept(forKey: request.headers["Sec-WebSocket-Key"] ?? "")
    return HTTPResponse(
      status: 101,
      headers: [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept,
      ]
    )
  }
}

extension AcceptedConnection {
  /// Answers the handshake and returns the server end of the WebSocket.
  func openWebSocket() async throws -> WebSocketStream {
    let stream = try await open()
    let request = try await stream.readRequest()
    try await stream.write(HTTPResponse.switching(for: request).encoded())
    return WebSocketStream(over: stream, as: .server, received: [], on: loop)
  }

  /// Answers the handshake and returns a peer for the test to control.
  func openWebSocketPeer() async throws -> WebSocketPeer {
    let stream = try await open()
    let request = try await stream.readRequest()
    try await stream.write(HTTPResponse.switching(for: request).encoded())
    return WebSocketPeer(over: SharedStream(stream))
  }
}

extension WebSocketStream {
  /// Opens the client end to a local port.
  static func connect(
    _ port: Int,
    on loop: EventLoop,
    headers: HTTPHeaders = [:],
    within duration: Duration = .timeout
  ) async throws -> WebSocketStream {
    try await connect(
      network: Network(loop: loop, environment: [:]),
      to: .local(port),
      target: "/stream",
      headers: headers,
      until: .now + duration
    )
  }

  func send(_ messages: String...) async throws { try await send(messages, until: .farOff) }

  /// Receives a message as text; `nil` after a close frame.
  func text() async throws -> String? {
    guard case .message(let bytes) = try await receive(until: .farOff) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
