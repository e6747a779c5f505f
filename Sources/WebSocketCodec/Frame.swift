// SPDX-License-Identifier: MIT

/// A frame to send: a message, a fragment of one, or a control frame (RFC 6455 section 5.2).
package struct Frame: Hashable, Sendable {
  /// Whether this is the last frame of its message; always true for control frames.
  package var isFinal: Bool
  package var opcode: Opcode
  /// The unmasked payload.
  package var payload: [UInt8]

  package init(isFinal: Bool = true, opcode: Opcode, payload: [UInt8]) {
    (self.isFinal, self.opcode, self.payload) = (isFinal, opcode, payload)
  }

  /// Appends the frame to `output` as `sender` encodes it.
  ///
  /// Draws a new masking key for a client's frame, and nothing for a server's.
  package func encode(
    from sender: Role,
    into output: inout [UInt8],
    using generator: inout some RandomNumberGenerator
  ) {
    let masked: UInt8 = sender == .client ? 0x80 : 0
    output.append((isFinal ? 0x80 : 0) | opcode.rawValue)
    switch payload.count {
    case let length where length <= FrameHeader.maxControlPayload:
      output.append(masked | UInt8(length))
    case let length where length <= UInt16.max:
      output.append(masked | 126)
      output += UInt16(length).bigEndianBytes
    case let length:
      output.append(masked | 127)
      output += UInt64(length).bigEndianBytes
    }
    let key = sender == .client ? MaskingKey(using: &generator) : nil
    if let key { output += key.rawValue.bigEndianBytes }
    let start = output.count
    output.append(contentsOf: payload)
    key?.apply(to: &output, in: start..<output.count)
  }
}

/// The header of a frame (RFC 6455 section 5.2).
struct FrameHeader: Sendable {
  /// Whether this is the last frame of its message.
  let isFinal: Bool
  let opcode: Opcode
  /// The masking key; nil for a frame from a server.
  let maskingKey: MaskingKey?
  /// The length of the payload in bytes.
  let payloadLength: Int

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
    guard first & 0x70 == 0 else { throw .reservedBits }
    guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .reservedOpcode }
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

/// The type of a frame: the four-bit number of RFC 6455 section 5.2.
package enum Opcode: UInt8, Sendable {
  /// A further fragment of the current message.
  case continuation = 0x0
  /// A text message in UTF-8, or its first fragment.
  case text = 0x1
  /// A binary message, or its first fragment.
  case binary = 0x2
  /// The last frame that an endpoint sends.
  case close = 0x8
  /// Checks whether the peer is alive.
  case ping = 0x9
  /// The reply to a ping.
  case pong = 0xA

  /// Whether the frame is a control frame, which may occur between fragments.
  var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The endpoint that a codec implements.
///
/// It determines the masking: all frames of a client are masked, and none of a server (RFC 6455
/// section 5.1).
package enum Role: Sendable {
  /// The endpoint that requested the upgrade.
  case client
  /// The endpoint that accepted the upgrade.
  case server

  package var opposite: Role { self == .client ? .server : .client }
}

/// The four bytes that mask the payload of a client's frame (RFC 6455 section 5.3).
///
/// Masking twice with the same key restores the original.
struct MaskingKey: RawRepresentable, Sendable {
  /// The key as a big-endian number.
  let rawValue: UInt32

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates a random key; the RFC requires an unpredictable one for each frame.
  init(using generator: inout some RandomNumberGenerator) {
    rawValue = generator.next()
  }

  /// Masks or unmasks a range of bytes in place; the range begins at the start of a payload.
  func apply(to bytes: inout [UInt8], in range: Range<Int>) {
    let pattern = UInt64(rawValue) << 32 | UInt64(rawValue)
    var span = bytes.mutableSpan
    var raw = span.mutableBytes
    var index = range.lowerBound
    while index + 8 <= range.upperBound {
      let word = raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      raw.storeBytes(of: word ^ pattern.bigEndian, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    var rest = self
    while index < range.upperBound {
      let byte = raw.unsafeLoad(fromByteOffset: index, as: UInt8.self)
      raw.storeBytes(of: byte ^ rest.firstByte, toByteOffset: index, as: UInt8.self)
      rest = rest.advanced(by: 1)
      index += 1
    }
  }

  /// Returns the key for the payload after its first `count` bytes.
  func advanced(by count: Int) -> MaskingKey {
    let bits = 8 * (count & 3)
    return MaskingKey(rawValue: rawValue << bits | rawValue >> (32 - bits))
  }

  private var firstByte: UInt8 { UInt8(rawValue >> 24) }
}

extension FixedWidthInteger {
  package init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { number, byte in number << 8 | Self(truncatingIfNeeded: byte) }
  }

  package var bigEndianBytes: [UInt8] {
    stride(from: bitWidth - 8, through: 0, by: -8).map { shift in
      UInt8(truncatingIfNeeded: self >> shift)
    }
  }
}
