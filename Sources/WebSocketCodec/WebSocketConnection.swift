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
public struct WebSocketConnection: Sendable {
  /// An event from the peer.
  public enum Event: Hashable, Sendable {
    /// A text message in valid UTF-8.
    case text([UInt8])
    case binary([UInt8])
    /// A ping; its pong is in `outbound` if the connection is open.
    case ping([UInt8])
    case pong([UInt8])
    /// The close frame, the last event; its reply is in `outbound` if one is due.
    case closed(CloseCode?, reason: String)
  }

  /// The state of the connection.
  public enum State: Hashable, Sendable {
    case open
    /// This endpoint has sent its close frame and waits for the peer's; messages may still arrive.
    case closing
    /// Both endpoints have sent a close frame.
    case closed
    /// The peer violated the protocol.
    case failed(ProtocolError)
  }

  /// The state of the connection.
  public private(set) var state = State.open
  private var decoder: FrameDecoder
  private var assembler: MessageAssembler
  private var queue: FrameQueue

  /// Creates a connection whose handshake is complete.
  public init(role: Role, limits: WebSocketLimits = WebSocketLimits()) {
    decoder = FrameDecoder(role: role, maxFrame: limits.maxFrame)
    assembler = MessageAssembler(maxMessage: limits.maxMessage)
    queue = FrameQueue(role: role)
  }

  // MARK: - Receiving

  /// Adds bytes from the stream, which may be split anywhere.
  public mutating func receive(_ bytes: some Collection<UInt8>) {
    // Bounds memory: after an error, bytes are no longer read.
    if case .failed = state { return }
    decoder.receive(bytes)
  }

  /// Returns the next event; nil if more bytes are needed.
  ///
  /// The generator provides the masking keys of automatic replies.
  ///
  /// - Throws: The rule that the peer violated; every further call throws it again.
  public mutating func next(
    using generator: inout some RandomNumberGenerator
  ) throws(ProtocolError) -> Event? {
    if case .failed(let error) = state { throw error }
    do throws(ProtocolError) {
      guard state != .closed else {
        guard decoder.isDrained else { throw .dataAfterClose }
        return nil
      }
      guard let message = try nextMessage() else { return nil }
      return try event(for: message, using: &generator)
    } catch {
      close(error.closeCode, reason: error.description, using: &generator)
      state = .failed(error)
      throw error
    }
  }

  private mutating func nextMessage() throws(ProtocolError) -> Message? {
    while let part = try decoder.next() {
      if let message = try assembler.add(part) { return message }
    }
    return nil
  }

  private mutating func event(
    for message: Message,
    using generator: inout some RandomNumberGenerator
  ) throws(ProtocolError) -> Event {
    switch message {
    case .text(let bytes):
      return .text(bytes)
    case .binary(let bytes):
      return .binary(bytes)
    case .ping(let payload):
      send(.pong, payload, using: &generator)
      return .ping(payload)
    case .pong(let payload):
      return .pong(payload)
    case .close(let bytes):
      let payload = try ClosePayload(parsing: bytes)
      close(payload.code, using: &generator)
      state = .closed
      return .closed(payload.code, reason: payload.reason)
    }
  }

  // MARK: - Sending

  /// The bytes to write.
  public var outbound: [UInt8] { queue.bytes }

  /// Returns the bytes to write and clears them.
  public mutating func takeOutbound() -> [UInt8] {
    queue.take()
  }

  /// Sends a text message.
  ///
  /// - Returns: False if the connection is not open; then nothing is sent.
  @discardableResult
  public mutating func send(
    text: String,
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    send(.text, Array(text.utf8), using: &generator)
  }

  /// Sends a ping of at most 125 bytes.
  ///
  /// - Returns: False if the connection is not open; then nothing is sent.
  @discardableResult
  public mutating func ping(
    _ payload: [UInt8] = [],
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    precondition(payload.count <= FrameHeader.maxControlPayload, "a ping has at most 125 bytes")
    return send(.ping, payload, using: &generator)
  }

  /// Sends the close frame, the last frame of this endpoint.
  ///
  /// The code must be one that may appear on the wire; nil sends a close frame without a code. The
  /// reason is for logs and is truncated to 123 bytes.
  ///
  /// - Returns: False if the connection is not open; then nothing is sent.
  @discardableResult
  public mutating func close(
    _ code: CloseCode? = .normalClosure,
    reason: String = "",
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    precondition(code?.mayAppearOnWire != false, "a close code that may not be sent")
    let payload = ClosePayload(code: code, reason: reason).bytes
    guard send(.close, payload, using: &generator) else { return false }
    state = .closing
    return true
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

/// The limits of a connection.
public struct WebSocketLimits: Hashable, Sendable {
  /// The maximum payload of a frame in bytes.
  public var maxFrame: Int
  /// The maximum size of a message over all its fragments, in bytes.
  public var maxMessage: Int

  /// Creates limits, by default 64 MiB for both.
  public init(maxFrame: Int = 64 << 20, maxMessage: Int = 64 << 20) {
    self.maxFrame = maxFrame
    self.maxMessage = maxMessage
  }
}

/// The endpoint that a codec implements.
///
/// It determines the masking: all frames of a client are masked, and none of a server (RFC 6455
/// section 5.1).
public enum Role: Hashable, Sendable {
  /// The endpoint that requested the upgrade.
  case client
  /// The endpoint that accepted the upgrade.
  case server

  /// The peer's role.
  public var opposite: Role {
    switch self {
    case .client: .server
    case .server: .client
    }
  }
}
