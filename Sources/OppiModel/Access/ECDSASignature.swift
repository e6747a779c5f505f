// SPDX-License-Identifier: MIT

/// An ECDSA signature with the curve P-256.
///
/// The protocol uses the concatenation of `r` and `s` (RFC 7518, section 3.4), OpenSSL the DER form
/// (RFC 3279, section 2.2.3).
package struct ECDSASignature: Sendable, Equatable {
  /// The size of `r` and of `s` in bytes.
  private static let half = 32

  /// `r` and `s` as 64 bytes.
  package let concatenated: [UInt8]

  /// Fails unless there are 64 bytes.
  package init?(concatenated: [UInt8]) {
    guard concatenated.count == 2 * Self.half else { return nil }
    self.concatenated = concatenated
  }

  /// Fails unless it is a sequence of two integers of at most 32 bytes.
  package init?(der: [UInt8]) {
    var rest = der[...]
    guard rest.popFirst() == Tag.sequence, rest.popFirst().map(Int.init) == rest.count,
      let r = Self.integer(&rest), let s = Self.integer(&rest), rest.isEmpty
    else { return nil }
    concatenated = r + s
  }

  package var der: [UInt8] {
    let (r, s) = (concatenated.prefix(Self.half), concatenated.suffix(Self.half))
    let integers = Self.integer(r) + Self.integer(s)
    return [Tag.sequence, UInt8(integers.count)] + integers
  }

  private enum Tag {
    static let integer: UInt8 = 0x02
    static let sequence: UInt8 = 0x30
  }

  /// Reads an unsigned integer, and pads it with zeros to 32 bytes.
  private static func integer(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.popFirst() == Tag.integer, let count = rest.popFirst().map(Int.init),
      (1...half + 1).contains(count), count <= rest.count
    else { return nil }
    let digits = rest.prefix(count)
    rest.removeFirst(count)
    guard digits.first.map({ $0 < 0x80 }) == true else { return nil }
    let significant = digits.drop { $0 == 0 }
    guard significant.count <= half else { return nil }
    return Array(repeating: 0, count: half - significant.count) + significant
  }

  /// The DER form of an unsigned integer: without leading zeros, except one before a set top bit.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(bytes.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [Tag.integer, UInt8(digits.count)] + digits
  }
}
