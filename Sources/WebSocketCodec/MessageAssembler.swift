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
