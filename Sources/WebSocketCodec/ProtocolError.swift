// SPDX-License-Identifier: MIT

/// The rule of RFC 6455 that the peer violated.
public enum ProtocolError: Error, Hashable, Sendable {
  /// A reserved bit is set, but no extension was negotiated (section 5.2).
  case reservedBits
  /// The opcode is undefined (section 5.2).
  case reservedOpcode
  /// A server masked a frame (section 5.1).
  case maskedByServer
  /// A client did not mask a frame (section 5.1).
  case unmaskedByClient
  /// The payload of a control frame exceeds 125 bytes (section 5.5).
  case controlTooLong
  /// A control frame is fragmented (section 5.5).
  case controlFragmented
  /// A length is not encoded in the minimal number of bytes (section 5.2).
  case lengthNotMinimal
  /// The top bit of a 64-bit length is set (section 5.2).
  case lengthTopBitSet
  /// A frame exceeds the limit (section 10.4).
  case frameTooLarge(length: UInt64)
  /// The fragments of a message exceed the limit (section 10.4).
  case messageTooLarge
  /// A continuation frame without a message to continue (section 5.4).
  case unexpectedContinuation
  /// A message began before the current one ended (section 5.4).
  case interleavedMessage
  /// A text, or the reason of a close frame, is not UTF-8 (sections 5.6 and 8.1).
  case invalidUTF8
  /// The payload of a close frame has one byte (section 5.5.1).
  case invalidClosePayload
  /// A close frame contains a code that must not be sent (section 7.4).
  case invalidCloseCode
  /// Data follows the close frame (section 5.5.1).
  case dataAfterClose

  /// The close code to send for the error.
  public var closeCode: CloseCode {
    switch self {
    case .frameTooLarge, .messageTooLarge: .messageTooBig
    case .invalidUTF8: .invalidPayload
    default: .protocolError
    }
  }
}

extension ProtocolError: CustomStringConvertible {
  /// A short description in lower case, without bytes of the peer.
  public var description: String {
    switch self {
    case .reservedBits: "reserved bits are set"
    case .reservedOpcode: "reserved opcode"
    case .maskedByServer: "the server masked a frame"
    case .unmaskedByClient: "the client did not mask a frame"
    case .controlTooLong: "control frame is longer than 125 bytes"
    case .controlFragmented: "fragmented control frame"
    case .lengthNotMinimal: "frame length is not minimal"
    case .lengthTopBitSet: "frame length exceeds 63 bits"
    case .frameTooLarge(let length): "frame of \(length) bytes is too large"
    case .messageTooLarge: "message is too large"
    case .unexpectedContinuation: "continuation frame without a message"
    case .interleavedMessage: "new message before the end of the previous one"
    case .invalidUTF8: "text is not UTF-8"
    case .invalidClosePayload: "close frame with a payload of 1 byte"
    case .invalidCloseCode: "invalid close code"
    case .dataAfterClose: "data after the close frame"
    }
  }
}
