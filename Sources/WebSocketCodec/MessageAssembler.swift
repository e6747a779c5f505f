// SPDX-License-Identifier: MIT

/// Assembles messages from the parts of their frames (RFC 6455 section 5.4).
///
/// Returns control frames between the fragments of a message as soon as they are complete.
/// Validates text as it arrives. After an error, no more parts may be added.
public struct MessageAssembler: Sendable {
  private enum Kind {
    case text
    case binary
  }

  private let maxMessage: Int
  /// The type of the current message; nil between messages.
  private var kind: Kind?
  private var message: [UInt8] = []
  private var utf8 = UTF8Validator()
  private var control: [UInt8] = []

  /// Creates an assembler for messages of at most `maxMessage` bytes.
  public init(maxMessage: Int) {
    self.maxMessage = maxMessage
  }

  /// Adds the next part; returns the message that it completes.
  ///
  /// - Throws: `unexpectedContinuation`, `interleavedMessage` or `messageTooLarge` for a header,
  ///   `invalidUTF8` at the first invalid byte.
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

/// A complete message or control frame from the peer.
public enum Message: Hashable, Sendable {
  /// Valid UTF-8.
  case text([UInt8])
  case binary([UInt8])
  case ping([UInt8])
  case pong([UInt8])
  /// The unvalidated payload of a close frame.
  case close([UInt8])
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
