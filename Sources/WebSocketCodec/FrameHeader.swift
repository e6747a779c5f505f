// SPDX-License-Identifier: MIT

/// The header of a frame (RFC 6455 section 5.2).
public struct FrameHeader: Hashable, Sendable {
  /// Whether this is the last frame of its message.
  public let isFinal: Bool
  /// The type of the frame.
  public let opcode: Opcode
  /// The masking key; nil for a frame from a server.
  public let maskingKey: MaskingKey?
  /// The length of the payload in bytes.
  public let payloadLength: Int

  /// The maximum payload of a control frame in bytes (RFC 6455 section 5.5).
  static let maxControlPayload = 125
}

extension FrameHeader {
  /// Parses the header at the start of `bytes`; returns nil if it is incomplete.
  ///
  /// Each rule is checked as soon as its byte is available.
  static func parse(
    _ bytes: ArraySlice<UInt8>,
    sentBy sender: Role,
    maxPayload: Int
  ) throws(ProtocolError) -> (header: FrameHeader, size: Int)? {
    guard let first = bytes.first else { return nil }
    let isFinal = first & 0x80 != 0
    let opcode = Opcode(rawValue: first)
    guard first & 0x70 == 0 else { throw .reservedBits }
    guard !opcode.isReserved else { throw .reservedOpcode }
    guard isFinal || !opcode.isControl else { throw .controlFragmented }

    guard let second = bytes.dropFirst().first else { return nil }
    let isMasked = second & 0x80 != 0
    let shortLength = second & 0x7F
    switch (sender, isMasked) {
    case (.server, true): throw .maskedByServer
    case (.client, false): throw .unmaskedByClient
    default: break
    }
    guard !opcode.isControl || shortLength <= maxControlPayload else { throw .controlTooLong }

    var rest = bytes.dropFirst(2)
    guard let length = try payloadLength(shortLength, &rest) else { return nil }
    guard length <= maxPayload else { throw .frameTooLarge(length: length) }

    var key: MaskingKey?
    if isMasked {
      guard let number = bigEndian(4, &rest) else { return nil }
      key = MaskingKey(rawValue: UInt32(number))
    }
    let header = FrameHeader(
      isFinal: isFinal,
      opcode: opcode,
      maskingKey: key,
      payloadLength: Int(length)
    )
    return (header, size: rest.startIndex - bytes.startIndex)
  }

  /// Parses the extended length that the short lengths 126 and 127 announce.
  private static func payloadLength(
    _ shortLength: UInt8,
    _ rest: inout ArraySlice<UInt8>
  ) throws(ProtocolError) -> UInt64? {
    switch shortLength {
    case 126:
      guard let length = bigEndian(2, &rest) else { return nil }
      guard length > 125 else { throw .lengthNotMinimal }
      return length
    case 127:
      guard let length = bigEndian(8, &rest) else { return nil }
      guard length >> 63 == 0 else { throw .lengthTopBitSet }
      guard length > UInt16.max else { throw .lengthNotMinimal }
      return length
    default:
      return UInt64(shortLength)
    }
  }

  private static func bigEndian(_ size: Int, _ rest: inout ArraySlice<UInt8>) -> UInt64? {
    guard rest.count >= size else { return nil }
    defer { rest = rest.dropFirst(size) }
    return UInt64(bigEndianBytes: rest.prefix(size))
  }
}
