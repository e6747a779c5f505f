// SPDX-License-Identifier: MIT

/// Puts messages together from the parts of their frames (RFC 6455 section 5.4).
///
/// Control frames between the fragments of a message come out when they are complete. Text is
/// checked as it arrives. Nothing may be added after an error.
public struct MessageAssembler: Sendable {
  private enum Kind {
    case text
    case binary
  }

  private let maxMessage: Int
  /// The kind of the message under way, nil between messages.
  private var kind: Kind?
  private var message: [UInt8] = []
  private var utf8 = UTF8Validator()
  private var control: [UInt8] = []

  /// Makes an assembler for messages of at most `maxMessage` bytes.
  public init(maxMessage: Int) {
    self.maxMessage = maxMessage
  }

  /// Adds the next part, and returns the message that is complete with it.
  ///
  /// - Throws: `unexpectedContinuation`, `interleavedMessage`, `messageTooLarge` when a frame
  ///   begins, `invalidUTF8` at the first wrong byte.
  public mutating func add(_ part: FrameDecoder.Part) throws(ProtocolError) -> Message? {
    switch part {
    case .header(let header):
      try begin(header)
      return nil
    case .payload(let bytes, let header):
      try append(bytes, of: header)
      return nil
    case .end(let header):
      return try end(header)
    }
  }

  private mutating func begin(_ header: FrameHeader) throws(ProtocolError) {
    guard !header.opcode.isControl else { return }
    if header.opcode == .continuation {
      guard kind != nil else { throw .unexpectedContinuation }
    } else {
      guard kind == nil else { throw .interleavedMessage }
      kind = header.opcode == .text ? .text : .binary
    }
    guard header.payloadLength <= maxMessage - message.count else { throw .messageTooLarge }
  }

  private mutating func append(
    _ bytes: ArraySlice<UInt8>,
    of header: FrameHeader
  ) throws(ProtocolError) {
    if header.opcode.isControl {
      control.append(contentsOf: bytes)
      return
    }
    if kind == .text {
      guard utf8.accept(bytes) else { throw .invalidUTF8 }
    }
    message.append(contentsOf: bytes)
  }

  private mutating func end(_ header: FrameHeader) throws(ProtocolError) -> Message? {
    switch header.opcode {
    case .ping: return .ping(take(&control))
    case .pong: return .pong(take(&control))
    case .close: return .close(take(&control))
    default: break
    }
    guard header.isFinal else { return nil }
    guard utf8.isAtBoundary else { throw .invalidUTF8 }
    defer { kind = nil }
    return kind == .text ? .text(take(&message)) : .binary(take(&message))
  }

  private func take(_ bytes: inout [UInt8]) -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

/// A whole message or control frame of the other side.
public enum Message: Hashable, Sendable {
  /// Text, as bytes that are valid UTF-8.
  case text([UInt8])
  /// Bytes.
  case binary([UInt8])
  /// A ping with its payload.
  case ping([UInt8])
  /// A pong with its payload.
  case pong([UInt8])
  /// A close frame with its payload, not yet judged.
  case close([UInt8])
}
