// SPDX-License-Identifier: MIT

/// One side of an open WebSocket, without the network: bytes in, events and bytes out.
///
/// The owner hands over what it reads, takes events until there is none, and writes what
/// `takeOutbound()` returns:
///
///     connection.receive(bytes)
///     while let event = try connection.next(using: &generator) { … }
///     write(connection.takeOutbound())
///
/// Pings and the close frame are answered by themselves, and so is a broken rule; the close frame
/// for it waits in `outbound` when the error is thrown. After a close frame nothing more is sent.
public struct WebSocketConnection: Sendable {
  /// What came from the other side.
  public enum Event: Hashable, Sendable {
    /// A text message, as valid UTF-8.
    case text([UInt8])
    /// A binary message.
    case binary([UInt8])
    /// A ping; its pong is in `outbound` unless nothing is sent any more.
    case ping([UInt8])
    /// A pong, asked for or not.
    case pong([UInt8])
    /// The close frame; its answer is in `outbound` if one is due. Nothing follows it.
    case closed(CloseCode?, reason: String)
  }

  /// How far the connection has come.
  public enum State: Hashable, Sendable {
    /// Both sides may send.
    case open
    /// This side sent its close frame and waits for the other's; messages may still come.
    case closing
    /// Close frames went in both directions.
    case closed
    /// The other side broke a rule.
    case failed(ProtocolError)
  }

  /// How far the connection has come.
  public private(set) var state = State.open
  private var decoder: FrameDecoder
  private var assembler: MessageAssembler
  private var queue: FrameQueue

  /// Makes a connection whose handshake is done.
  public init(role: Role, limits: WebSocketLimits = WebSocketLimits()) {
    decoder = FrameDecoder(role: role, maxFrame: limits.maxFrame)
    assembler = MessageAssembler(maxMessage: limits.maxMessage)
    queue = FrameQueue(role: role)
  }

  // MARK: - Receiving

  /// Adds bytes from the stream, which may be cut anywhere.
  public mutating func receive(_ bytes: some Collection<UInt8>) {
    // What still comes after an error is not read, and must not pile up.
    if case .failed = state { return }
    decoder.receive(bytes)
  }

  /// Takes the next event from what was received.
  ///
  /// - Parameter generator: The source of the masking keys of automatic answers.
  /// - Returns: The event, or nil when more bytes are needed.
  /// - Throws: The rule that the other side broke; every further call throws it again.
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

  /// The bytes that wait to be written.
  public var outbound: [UInt8] { queue.bytes }

  /// Returns the bytes to write, and forgets them.
  public mutating func takeOutbound() -> [UInt8] {
    queue.take()
  }

  /// Sends a text message.
  ///
  /// - Returns: False when nothing is sent any more because the connection is not open.
  @discardableResult
  public mutating func send(
    text: String,
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    send(.text, Array(text.utf8), using: &generator)
  }

  /// Sends a ping of at most 125 bytes.
  ///
  /// - Returns: False when nothing is sent any more because the connection is not open.
  @discardableResult
  public mutating func ping(
    _ payload: [UInt8] = [],
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    precondition(payload.count <= FrameHeader.maxControlPayload, "a ping has at most 125 bytes")
    return send(.ping, payload, using: &generator)
  }

  /// Sends the close frame, after which nothing else is sent.
  ///
  /// - Parameters:
  ///   - code: A code that may appear on the wire, or nil for a close frame without one.
  ///   - reason: A reason for logs, cut to the 123 bytes there is room for.
  ///   - generator: The source of the masking key.
  /// - Returns: False when nothing is sent any more because the connection is not open.
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
