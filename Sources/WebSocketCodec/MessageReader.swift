// SPDX-License-Identifier: MIT

/// Parses messages from a stream that may be split anywhere (RFC 6455 sections 5.2 and 5.4).
///
/// Limits and content are checked before the rest of a frame is received, and control frames
/// between the fragments of a message are returned as soon as they are complete. After an error,
/// nothing more may be read.
struct MessageReader: Sendable {
  private let sender: Role
  private let maxMessage: Int
  private(set) var buffer: [UInt8] = []
  private var position = 0
  /// The frame whose payload is expected, and the size of what was read of it; nil between frames.
  private var frame: (header: FrameHeader, received: Int)?
  /// The type of the current message, text or binary; nil between messages.
  private var type: Opcode?
  private var message: [UInt8] = []
  private var utf8 = UTF8Validator()
  private var control: [UInt8] = []

  /// Creates a reader of what `role` receives, with messages of at most `maxMessage` bytes.
  init(role: Role, maxMessage: Int) {
    sender = role.opposite
    self.maxMessage = maxMessage
  }

  /// Whether all received bytes are consumed.
  var isDrained: Bool { position == buffer.endIndex }

  mutating func receive(_ bytes: some Collection<UInt8>) {
    // Removing at least half of the bytes at once keeps the total cost linear.
    if position > buffer.count / 2 {
      buffer.removeSubrange(..<position)
      position = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next message or control frame; nil if more bytes are needed.
  mutating func next() throws(ProtocolError) -> WebSocketConnection.Event? {
    while true {
      if frame == nil { frame = try nextFrame() }
      guard let (header, received) = frame else { return nil }
      let count = min(header.payloadLength - received, buffer.count - position)
      try readPayload(count, of: header, after: received)
      frame = (header, received + count)
      guard received + count == header.payloadLength else { return nil }
      frame = nil
      if let event = try end(of: header) { return event }
    }
  }

  private mutating func nextFrame() throws(ProtocolError) -> (FrameHeader, received: Int)? {
    let parsed = try FrameHeader.parse(buffer[position...], sentBy: sender, maxPayload: maxMessage)
    guard let (header, size) = parsed else { return nil }
    position += size
    guard !header.opcode.isControl else { return (header, 0) }
    if header.opcode == .continuation {
      guard type != nil else { throw .unexpectedContinuation }
    } else {
      guard type == nil else { throw .interleavedMessage }
      type = header.opcode
    }
    guard header.payloadLength <= maxMessage - message.count else { throw .messageTooLarge }
    return (header, 0)
  }

  private mutating func readPayload(
    _ count: Int,
    of header: FrameHeader,
    after received: Int
  ) throws(ProtocolError) {
    let range = position..<position + count
    header.maskingKey?.advanced(by: received).apply(to: &buffer, in: range)
    position = range.upperBound
    if header.opcode.isControl {
      control.append(contentsOf: buffer[range])
      return
    }
    if type == .text {
      guard utf8.accept(buffer[range]) else { throw .invalidUTF8 }
    }
    message.append(contentsOf: buffer[range])
  }

  private mutating func end(
    of header: FrameHeader
  ) throws(ProtocolError) -> WebSocketConnection.Event? {
    switch header.opcode {
    case .ping: return .ping(take(&control))
    case .pong: return .pong(take(&control))
    case .close: return try .closed(payload: take(&control))
    case .continuation, .text, .binary: break
    }
    guard header.isFinal else { return nil }
    guard utf8.isAtBoundary else { throw .invalidUTF8 }
    defer { type = nil }
    return type == .text ? .text(take(&message)) : .binary(take(&message))
  }

  private func take(_ bytes: inout [UInt8]) -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

/// Validates UTF-8 that arrives in pieces (RFC 3629).
///
/// Rejects a piece at the first byte that makes it invalid, so overlong forms, surrogates and code
/// points above U+10FFFF are detected at their second byte.
struct UTF8Validator: Sendable {
  /// The number of continuation bytes that the current character still needs.
  private var missing = 0
  /// The valid range of the next continuation byte; narrower only after some lead bytes.
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the text so far ends with a complete character.
  var isAtBoundary: Bool { missing == 0 }

  /// Validates the next piece; returns whether the text can still be valid.
  mutating func accept(_ piece: ArraySlice<UInt8>) -> Bool {
    let bytes = piece.span
    var index = 0
    while index < bytes.count {
      if isAtBoundary {
        index = Self.endOfASCII(in: bytes.bytes, from: index)
        guard index < bytes.count else { break }
      }
      guard accept(bytes[index]) else { return false }
      index += 1
    }
    return true
  }

  private mutating func accept(_ byte: UInt8) -> Bool {
    guard isAtBoundary else {
      guard allowed.contains(byte) else { return false }
      missing -= 1
      allowed = 0x80...0xBF
      return true
    }
    switch byte {
    case 0x00...0x7F: missing = 0
    case 0xC2...0xDF: missing = 1
    case 0xE0...0xEF: missing = 2
    case 0xF0...0xF4: missing = 3
    default: return false
    }
    switch byte {
    case 0xE0: allowed = 0xA0...0xBF
    case 0xED: allowed = 0x80...0x9F
    case 0xF0: allowed = 0x90...0xBF
    case 0xF4: allowed = 0x80...0x8F
    default: break
    }
    return true
  }

  /// Skips ASCII eight bytes at a time: most text is ASCII, and messages can have megabytes.
  private static func endOfASCII(in bytes: RawSpan, from start: Int) -> Int {
    var index = start
    while index + 8 <= bytes.byteCount {
      let word = bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard word & 0x8080_8080_8080_8080 == 0 else { break }
      index += 8
    }
    return index
  }
}
