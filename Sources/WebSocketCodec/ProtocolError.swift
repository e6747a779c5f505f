// SPDX-License-Identifier: MIT

/// The rule of RFC 6455 that the peer violated.
package struct ProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A short description in lower case, without bytes of the peer.
  package let description: String
  /// The close code to send for the error.
  package let closeCode: CloseCode

  private init(_ description: String, _ closeCode: CloseCode = .protocolError) {
    (self.description, self.closeCode) = (description, closeCode)
  }

  /// A reserved bit is set, but no extension was negotiated (section 5.2).
  package static let reservedBits = ProtocolError("reserved bits are set")
  /// The opcode is undefined (section 5.2).
  package static let reservedOpcode = ProtocolError("reserved opcode")
  /// Section 5.1.
  package static let maskedByServer = ProtocolError("the server masked a frame")
  /// Section 5.1.
  package static let unmaskedByClient = ProtocolError("the client did not mask a frame")
  /// Section 5.5.
  package static let controlTooLong = ProtocolError("control frame is longer than 125 bytes")
  /// Section 5.5.
  package static let controlFragmented = ProtocolError("fragmented control frame")
  /// Section 5.2.
  package static let lengthNotMinimal = ProtocolError("frame length is not minimal")
  /// The top bit of a 64-bit length is set (section 5.2).
  package static let lengthTopBitSet = ProtocolError("frame length exceeds 63 bits")
  /// Section 10.4.
  package static func frameTooLarge(length: UInt64) -> ProtocolError {
    ProtocolError("frame of \(length) bytes is too large", .messageTooBig)
  }
  /// The fragments of a message exceed the limit (section 10.4).
  package static let messageTooLarge = ProtocolError("message is too large", .messageTooBig)
  /// Section 5.4.
  package static let unexpectedContinuation = ProtocolError("continuation frame without a message")
  /// Section 5.4.
  package static let interleavedMessage = ProtocolError(
    "new message before the end of the previous one"
  )
  /// A text, or the reason of a close frame, is not UTF-8 (sections 5.6 and 8.1).
  package static let invalidUTF8 = ProtocolError("text is not UTF-8", .invalidPayload)
  /// Section 5.5.1.
  package static let invalidClosePayload = ProtocolError("close frame with a payload of 1 byte")
  /// A close frame contains a code that must not be sent (section 7.4).
  package static let invalidCloseCode = ProtocolError("invalid close code")
  /// Section 5.5.1.
  package static let dataAfterClose = ProtocolError("data after the close frame")
}

/// The code for closing a connection (RFC 6455 section 7.4); any number is kept.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The connection has fulfilled its purpose.
  package static let normalClosure = CloseCode(rawValue: 1000)
  /// The endpoint is going away, such as a server that shuts down.
  package static let goingAway = CloseCode(rawValue: 1001)
  /// The peer violated the protocol.
  package static let protocolError = CloseCode(rawValue: 1002)
  /// The endpoint does not accept this type of data.
  package static let unsupportedData = CloseCode(rawValue: 1003)
  /// A message contains data that does not match its type, such as text that is not UTF-8.
  package static let invalidPayload = CloseCode(rawValue: 1007)
  /// The peer violated a policy of the endpoint.
  package static let policyViolation = CloseCode(rawValue: 1008)
  /// A message exceeds the endpoint's limit.
  package static let messageTooBig = CloseCode(rawValue: 1009)
  /// The server failed.
  package static let internalError = CloseCode(rawValue: 1011)

  /// Whether a close frame may contain this code.
  ///
  /// Allowed are the registered codes that are not reserved for local use, and the ranges for
  /// libraries (3000 to 3999) and private use (4000 to 4999).
  package var mayAppearOnWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  /// The payload of a close frame; a reason that does not fit is cut between two characters (RFC
  /// 6455 section 5.5.1).
  func payload(reason: String) -> [UInt8] {
    var fitting = reason[...]
    while fitting.utf8.count > FrameHeader.maxControlPayload - 2 { fitting.removeLast() }
    return rawValue.bigEndianBytes + fitting.utf8
  }
}

extension WebSocketConnection.Event {
  /// Parses the payload of a close frame: nothing, or a code and a reason (RFC 6455 section 5.5.1).
  static func closed(payload: [UInt8]) throws(ProtocolError) -> Self {
    guard !payload.isEmpty else { return .closed(nil, reason: "") }
    guard payload.count >= 2 else { throw .invalidClosePayload }
    let code = CloseCode(rawValue: UInt16(bigEndianBytes: payload[..<2]))
    guard code.mayAppearOnWire else { throw .invalidCloseCode }
    guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .invalidUTF8 }
    return .closed(code, reason: reason)
  }
}
