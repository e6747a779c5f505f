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

/// The code for closing a connection (RFC 6455 section 7.4).
///
/// Codes without a constant here are kept.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
  /// The code as sent.
  public let rawValue: UInt16

  /// Creates a close code from any number; see `mayAppearOnWire`.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The connection has fulfilled its purpose, 1000.
  public static let normalClosure = CloseCode(rawValue: 1000)
  /// The endpoint is going away, such as a server that shuts down, 1001.
  public static let goingAway = CloseCode(rawValue: 1001)
  /// The peer violated the protocol, 1002.
  public static let protocolError = CloseCode(rawValue: 1002)
  /// The endpoint does not accept this type of data, 1003.
  public static let unsupportedData = CloseCode(rawValue: 1003)
  /// A message contains data that does not match its type, such as text that is not UTF-8, 1007.
  public static let invalidPayload = CloseCode(rawValue: 1007)
  /// A message exceeds the endpoint's limit, 1009.
  public static let messageTooBig = CloseCode(rawValue: 1009)

  /// Whether a close frame may contain this code.
  ///
  /// Allowed are the registered codes that are not reserved for local use, and the ranges for
  /// libraries (3000 to 3999) and private use (4000 to 4999).
  public var mayAppearOnWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

/// The payload of a close frame: nothing, or a code and a reason (RFC 6455 section 5.5.1).
struct ClosePayload: Equatable, Sendable {
  let code: CloseCode?
  let reason: String

  /// Creates a payload to send; truncates a reason that does not fit, between two characters.
  ///
  /// Without a code, the reason is omitted.
  init(code: CloseCode?, reason: String = "") {
    self.code = code
    guard code != nil else {
      self.reason = ""
      return
    }
    let room = FrameHeader.maxControlPayload - 2
    var fitting = reason[...]
    while fitting.utf8.count > room { fitting.removeLast() }
    self.reason = String(fitting)
  }

  init(parsing bytes: [UInt8]) throws(ProtocolError) {
    guard !bytes.isEmpty else {
      self.init(code: nil)
      return
    }
    guard bytes.count >= 2 else { throw .invalidClosePayload }
    let code = CloseCode(rawValue: UInt16(bigEndianBytes: bytes[..<2]))
    guard code.mayAppearOnWire else { throw .invalidCloseCode }
    guard let reason = String(validating: bytes[2...], as: UTF8.self) else { throw .invalidUTF8 }
    self.init(code: code, reason: reason)
  }

  var bytes: [UInt8] {
    guard let code else { return [] }
    return code.rawValue.bigEndianBytes + reason.utf8
  }
}
