// SPDX-License-Identifier: MIT

/// One endpoint of an open WebSocket, without I/O.
///
/// The owner passes in received bytes, takes events until there are none, and writes the outbound
/// bytes:
///
///     connection.receive(bytes)
///     while let event = try connection.next(using: &generator) { … }
///     write(connection.takeOutbound())
///
/// Pings, the close frame and protocol errors are answered automatically; when an error is thrown,
/// its close frame is in `outbound`. Nothing is sent after a close frame.
package struct WebSocketConnection: Sendable {
  /// An event from the peer.
  package enum Event: Hashable, Sendable {
    /// A text message in valid UTF-8.
    case text([UInt8])
    case binary([UInt8])
    /// A ping; its pong is in `outbound` if the connection is open.
    case ping([UInt8])
    case pong([UInt8])
    /// The close frame, the last event; its reply is in `outbound` if one is due.
    case closed(CloseCode?, reason: String)
  }

  package enum State: Hashable, Sendable {
    case open
    /// This endpoint has sent its close frame and waits for the peer's; messages may still arrive.
    case closing
    /// Both endpoints have sent a close frame.
    case closed
    /// The peer violated the protocol.
    case failed(ProtocolError)
  }

  /// The maximum size of a message over all its fragments, in bytes.
  package static let maxMessage = 16 << 20

  package private(set) var state = State.open
  private var reader: MessageReader
  private var queue: FrameQueue

  /// Creates a connection whose handshake is complete.
  package init(role: Role, maxMessage: Int = maxMessage) {
    reader = MessageReader(role: role, maxMessage: maxMessage)
    queue = FrameQueue(role: role)
  }

  // MARK: - Receiving

  /// Adds bytes from the stream, which may be split anywhere.
  package mutating func receive(_ bytes: some Collection<UInt8>) {
    // Bounds memory: after an error, bytes are no longer read.
    if case .failed = state { return }
    reader.receive(bytes)
  }

  /// Returns the next event; nil if more bytes are needed.
  ///
  /// The generator provides the masking keys of automatic replies.
  ///
  /// - Throws: The rule that the peer violated; every further call throws it again.
  package mutating func next(
    using generator: inout some RandomNumberGenerator
  ) throws(ProtocolError) -> Event? {
    if case .failed(let error) = state { throw error }
    do throws(ProtocolError) {
      guard state != .closed else {
        guard reader.isDrained else { throw .dataAfterClose }
        return nil
      }
      let event = try reader.next()
      switch event {
      case .ping(let payload): send(.pong, payload, using: &generator)
      case .closed(let code, _):
        close(code, using: &generator)
        state = .closed
      case .text, .binary, .pong, nil: break
      }
      return event
    } catch {
      close(error.closeCode, reason: error.description, using: &generator)
      state = .failed(error)
      throw error
    }
  }

  // MARK: - Sending

  /// The bytes to write.
  package var outbound: [UInt8] { queue.bytes }

  /// Returns the bytes to write and clears them.
  package mutating func takeOutbound() -> [UInt8] {
    queue.take()
  }

  /// Sends a text message.
  ///
  /// - Returns: False if the connection is not open; then nothing is sent.
  @discardableResult
  package mutating func send(
    text: String,
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    send(.text, Array(text.utf8), using: &generator)
  }

  /// Sends an empty ping, unless the connection is not open.
  package mutating func ping(using generator: inout some RandomNumberGenerator) {
    send(.ping, [], using: &generator)
  }

  /// Sends the close frame, the last frame of this endpoint, unless the connection is not open.
  ///
  /// The code must be one that may appear on the wire; nil sends a close frame without a code and a
  /// reason. The reason is for logs and is truncated to 123 bytes.
  package mutating func close(
    _ code: CloseCode? = .normalClosure,
    reason: String = "",
    using generator: inout some RandomNumberGenerator
  ) {
    precondition(code?.mayAppearOnWire != false, "a close code that may not be sent")
    let payload = code?.payload(reason: reason) ?? []
    if send(.close, payload, using: &generator) { state = .closing }
  }

  @discardableResult
  private mutating func send(
    _ opcode: Opcode,
    _ payload: [UInt8],
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    guard state == .open else { return false }
    queue.append(Frame(opcode: opcode, payload: payload), using: &generator)
    return true
  }
}

/// The encoded frames to send.
///
/// Bounds memory against a flood of pings: beyond the limit only the latest pong is kept, as RFC
/// 6455 section 5.5.3 allows.
struct FrameQueue: Sendable {
  /// The number of queued pongs from which each pong replaces the previous one.
  static let maxPongs = 64

  private(set) var bytes: [UInt8] = []
  private let role: Role
  private var pongs = 0
  /// The offset of the last frame if it is a pong.
  private var lastPong: Int?

  init(role: Role) {
    self.role = role
  }

  mutating func append(_ frame: Frame, using generator: inout some RandomNumberGenerator) {
    if frame.opcode == .pong {
      if pongs >= Self.maxPongs, let lastPong {
        bytes.removeSubrange(lastPong...)
      } else {
        pongs += 1
      }
      lastPong = bytes.count
    } else {
      lastPong = nil
    }
    frame.encode(from: role, into: &bytes, using: &generator)
  }

  mutating func take() -> [UInt8] {
    defer { self = FrameQueue(role: role) }
    return bytes
  }
}
