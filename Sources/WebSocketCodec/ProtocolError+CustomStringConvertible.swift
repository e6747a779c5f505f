// SPDX-License-Identifier: MIT

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
    case .connectionCut: "the connection was cut without a close frame"
    }
  }
}
