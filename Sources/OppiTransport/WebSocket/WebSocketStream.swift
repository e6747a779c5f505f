// SPDX-License-Identifier: MIT

package import EventLoop
package import WebSocketCodec

/// An open WebSocket (RFC 6455) over a byte stream, at either end.
package actor WebSocketStream {
  /// What the peer sends.
  package enum Incoming: Sendable {
    /// A text message as valid UTF-8.
    case message([UInt8])
    /// The peer ended the conversation; no code where it gave none.
    case closed(CloseCode?, reason: String)
  }

  /// The longest that a farewell waits for room.
  private static let farewell = Duration.milliseconds(100)

  private let loop: EventLoop
  private let stream: ByteStream
  private var connection: WebSocketConnection
  private var random: RandomSource
  private var isFlushing = false
  /// Why a write broke off; what followed would be taken for the rest of a cut message.
  private var writeFailure: TransportError?
  /// When the peer's last bytes came, pings included.
  private var lastActivity: EventLoop.Instant

  /// Neither side sends longer messages.
  private static let limits = WebSocketLimits(maxFrame: 16 << 20, maxMessage: 16 << 20)

  /// Takes over a stream whose handshake is done; `received` is what came behind the handshake.
  package init(
    over stream: sending ByteStream,
    as role: Role,
    received: [UInt8],
    on loop: EventLoop
  ) {
    self.loop = loop
    self.stream = stream
    random = loop.random
    lastActivity = loop.now
    connection = WebSocketConnection(role: role, limits: Self.limits)
    connection.receive(received)
  }

  /// For how long nothing has come, pings included.
  package var silence: Duration { lastActivity.duration(to: loop.now) }

  /// Sends text messages in one write, or leaves them to the task that is writing.
  ///
  /// Once a write has failed, every later one throws its error.
  package func send(
    _ messages: [String],
    until deadline: EventLoop.Instant
  ) async throws(TransportError) {
    for message in messages {
      guard connection.send(text: message, using: &random) else { throw .closed(.request) }
    }
    try await flush(until: deadline)
  }

  /// Returns the next message, or the end of the conversation; answers pings on the way.
  package func receive(
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> Incoming {
    while true {
      let event: WebSocketConnection.Event?
      do {
        event = try connection.next(using: &random)
      } catch {
        // The close frame that tells the peer why is a courtesy; the broken rule is the news.
        try? await flush(until: loop.now + Self.farewell)
        throw .webSocketBroken(error)
      }
      // What the peer has said counts, whether it still listens or not.
      try? await flush(until: deadline)
      switch event {
      case .text(let bytes): return .message(bytes)
      case .closed(let code, let reason): return .closed(code, reason: reason)
      case .binary, .ping, .pong: continue
      case nil: try await readMore(until: deadline)
      }
    }
  }

  /// Says goodbye with a code, and does not wait for the peer's: whatever mattered was confirmed
  /// before (RFC 6455, section 7.1.1, lets a client close the connection when it has to).
  package func close(code: CloseCode = .normalClosure, reason: String = "") async {
    connection.close(code, reason: reason, using: &random)
    // The peer may be gone already; nothing is owed to it.
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

  /// Writes what is due.
  ///
  /// Of several callers one writes for all, so that frames never interleave.
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
}
