// SPDX-License-Identifier: MIT

/// The four bytes that mask the payload of a client's frame (RFC 6455 section 5.3).
///
/// Masking twice with the same key restores the original.
public struct MaskingKey: RawRepresentable, Hashable, Sendable {
  /// The key as a big-endian number.
  public let rawValue: UInt32

  /// Creates a key from its big-endian number.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates a random key; the RFC requires an unpredictable one for each frame.
  public init(using generator: inout some RandomNumberGenerator) {
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
