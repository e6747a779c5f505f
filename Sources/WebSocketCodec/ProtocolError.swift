// SPDX-License-Identifier: MIT

/// The rule of RFC 6455 that the other side broke.
public enum ProtocolError: Error, Hashable, Sendable {
  /// A reserved bit is set although no extension was agreed on (section 5.2).
  case reservedBits
  /// The opcode has no meaning (section 5.2).
  case reservedOpcode
  /// A server masked a frame (section 5.1).
  case maskedByServer
  /// A client sent a frame unmasked (section 5.1).
  case unmaskedByClient
  /// A control frame has more than 125 bytes (section 5.5).
  case controlTooLong
  /// A control frame is fragmented (section 5.5).
  case controlFragmented
  /// A length is written longer than needed (section 5.2).
  case lengthNotMinimal
  /// A 64-bit length has its top bit set (section 5.2).
  case lengthTopBitSet
  /// A frame is larger than the limit (section 10.4).
  case frameTooLarge(length: UInt64)
  /// The fragments of a message add up to more than the limit (section 10.4).
  case messageTooLarge
  /// A continuation came without a message under way (section 5.4).
  case unexpectedContinuation
  /// A message began before the one under way ended (section 5.4).
  case interleavedMessage
  /// A text or the reason of a close frame is not UTF-8 (sections 5.6 and 8.1).
  case invalidUTF8
  /// A close frame holds one byte (section 5.5.1).
  case invalidClosePayload
  /// A close frame holds a code that may not be sent (section 7.4).
  case invalidCloseCode
  /// Something came after the close frame (section 5.5.1).
  case dataAfterClose

  /// The code that answers the error.
  public var closeCode: CloseCode {
    switch self {
    case .frameTooLarge, .messageTooLarge: .messageTooBig
    case .invalidUTF8: .invalidPayload
    default: .protocolError
    }
  }
}

extension ProtocolError: CustomStringConvertible {
  /// A few lower-case words about the rule, without bytes of the other side.
  public var description: String {
    switch self {
    case .reservedBits: "reserved bits are set"
    case .reservedOpcode: "reserved opcode"
    case .maskedByServer: "the server masked a frame"
    case .unmaskedByClient: "the client did not mask a frame"
    case .controlTooLong: "control frame over 125 bytes"
    case .controlFragmented: "fragmented control frame"
    case .lengthNotMinimal: "frame length is not minimal"
    case .lengthTopBitSet: "frame length over 63 bits"
    case .frameTooLarge(let length): "frame of \(length) bytes is too large"
    case .messageTooLarge: "message is too large"
    case .unexpectedContinuation: "continuation without a message"
    case .interleavedMessage: "new message before the end of the last"
    case .invalidUTF8: "text is not UTF-8"
    case .invalidClosePayload: "close frame of one byte"
    case .invalidCloseCode: "close code that may not be sent"
    case .dataAfterClose: "data after the close frame"
    }
  }
}
