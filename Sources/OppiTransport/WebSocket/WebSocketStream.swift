// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import WebSocketCodec

/// Either end of an open WebSocket (RFC 6455) over a byte stream.
package actor WebSocketStream {
  package enum Incoming: Sendable {
    /// A text message in valid UTF-8.
    case message([UInt8])
    /// The peer closed the WebSocket; the code is `nil` if it sent none.
    case closed(CloseCode?, reason: String)
  }

  /// The maximum time for writing a close frame.
  private static let farewell = Duration.milliseconds(100)

  private let loop: EventLoop
  private let stream: ByteStream
  /// What received messages must not repeat.
  private let secrets: KnownSecrets?
  private var connection: WebSocketConnection
  private var random: RandomSource
  private var isFlushing = false
  /// The error of the first failed write; later frames would be read as the rest of a truncated
  /// message.
  private var writeFailure: TransportError?
  /// The time of the peer's last bytes, including pings.
  package private(set) var lastActivity: EventLoop.Instant

  /// Takes over a stream after the handshake; `received` has the bytes that followed it, and
  /// `secrets` is removed from messages.
  package init(
    over stream: sending ByteStream,
    as role: Role,
    received: [UInt8],
    hiding secrets: KnownSecrets? = nil,
    on loop: EventLoop
  ) {
    self.loop = loop
    self.stream = stream
    stream.becomeUnending()
    self.secrets = secrets
    random = loop.random
    lastActivity = loop.now
    connection = WebSocketConnection(role: role)
    connection.receive(received)
  }

  /// Sends text messages in one write, or queues them for the task that is writing.
  ///
  /// After a failed write, every call throws its error.
  package func send(
    _ messages: [String],
    until deadline: EventLoop.Instant
  ) async throws(TransportError) {
    for message in messages {
      guard connection.send(text: message, using: &random) else { throw .closed(.request) }
    }
    try await flush(until: deadline)
  }

  /// Returns the next message or the end of the connection; replies to pings meanwhile.
  package func receive(
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> Incoming {
    while true {
      let event: WebSocketConnection.Event?
      do {
        event = try connection.next(using: &random)
      } catch {
        // The close frame is optional; the protocol error must be reported.
        try? await flush(until: loop.now + Self.farewell)
        throw .webSocketBroken(error)
      }
      // Received messages are delivered even if the peer no longer reads.
      try? await flush(until: deadline)
      switch event {
      case .text(let bytes): return .message(secrets?.redacted(bytes) ?? bytes)
      case .closed(let code, let reason):
        return .closed(code, reason: secrets?.redacted(reason) ?? reason)
      case .binary, .ping, .pong: continue
      case nil: try await readMore(until: deadline)
      }
    }
  }

  /// Sends a close frame and does not wait for the peer's.
  ///
  /// Everything relevant was confirmed before; RFC 6455, section 7.1.1, allows a client to close
  /// the connection if necessary.
  package func close(code: CloseCode = .normalClosure, reason: String = "") async {
    connection.close(code, reason: reason, using: &random)
    // The peer may already be gone.
    try? await flush(until: loop.now + Self.farewell)
    stream.shutDown()
    stream.discardReceived()
  }

  private func readMore(until deadline: EventLoop.Instant) async throws(TransportError) {
    let bytes = try await stream.read(until: deadline)
    guard !bytes.isEmpty else { throw .closed(.answer) }
    lastActivity = loop.now
    connection.receive(bytes)
  }

  /// Writes the outbound bytes; only one caller writes at a time, so that frames do not interleave.
  private func flush(until deadline: EventLoop.Instant) async throws(TransportError) {
    if let writeFailure { throw writeFailure }
    guard !isFlushing else { return }
    isFlushing = true
    defer { isFlushing = false }
    do {
      while !connection.outbound.isEmpty {
        try await stream.write(connection.takeOutbound(), until: deadline)
      }
    } catch {
      writeFailure = error
      throw error
    }
  }

  /// Opens a WebSocket on a server.
  ///
  /// `target` is the path and query of the upgrade request; `headers` has further headers, such as
  /// the bearer token.
  ///
  /// - Throws: `.upgradeRefused(.status(…))` if the server sends an ordinary response.
  package static func connect(
    network: Network,
    to destination: Network.Destination,
    target: String,
    headers: HTTPHeaders,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> WebSocketStream {
    var random = network.loop.random
    let key = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let handshake = ClientHandshake(keyBytes: key)
    var request = HTTPRequest(method: "GET", target: target, headers: headers)
    for header in handshake.headers.fields {
      request.headers.append(name: header.name, value: header.value)
    }
    let bytes = try HTTPConnection.encode(request, for: destination)
    let stream = try await network.open(destination, until: deadline)
    try await stream.write(bytes, until: deadline)
    var parser = HTTPResponseParser.forHead
    let response = try await stream.readResponse(with: &parser, until: deadline).response
    do {
      try handshake.validate(response)
    } catch {
      throw .upgradeRefused(error)
    }
    return WebSocketStream(
      over: stream,
      as: .client,
      received: parser.leftover,
      hiding: network.secrets,
      on: network.loop
    )
  }
}
