// SPDX-License-Identifier: MIT

/// Validates UTF-8 that arrives in pieces (RFC 3629).
///
/// Rejects a piece at the first byte that makes it invalid, so overlong forms, surrogates and code
/// points above U+10FFFF are detected at their second byte.
struct UTF8Validator: Sendable {
  /// The number of continuation bytes that the current character still needs.
  private var missing = 0
  /// The valid range of the next continuation byte; narrower only after some lead bytes.
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the text so far ends with a complete character.
  var isAtBoundary: Bool { missing == 0 }

  /// Validates the next piece; returns whether the text can still be valid.
  mutating func accept(_ piece: ArraySlice<UInt8>) -> Bool {
    let bytes = piece.span
    var index = 0
    while index < bytes.count {
      if isAtBoundary {
        index = Self.endOfASCII(in: bytes.bytes, from: index)
        guard index < bytes.count else { break }
      }
      guard accept(bytes[index]) else { return false }
      index += 1
    }
    return true
  }

  private mutating func accept(_ byte: UInt8) -> Bool {
    guard isAtBoundary else {
      guard allowed.contains(byte) else { return false }
      missing -= 1
      allowed = 0x80...0xBF
      return true
    }
    switch byte {
    case 0x00...0x7F: missing = 0
    case 0xC2...0xDF: missing = 1
    case 0xE0...0xEF: missing = 2
    case 0xF0...0xF4: missing = 3
    default: return false
    }
    switch byte {
    case 0xE0: allowed = 0xA0...0xBF
    case 0xED: allowed = 0x80...0x9F
    case 0xF0: allowed = 0x90...0xBF
    case 0xF4: allowed = 0x80...0x8F
    default: break
    }
    return true
  }

  /// Skips ASCII eight bytes at a time: most text is ASCII, and messages can have megabytes.
  private static func endOfASCII(in bytes: RawSpan, from start: Int) -> Int {
    var index = start
    while index + 8 <= bytes.byteCount {
      let word = bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard word & 0x8080_8080_8080_8080 == 0 else { break }
      index += 8
    }
    return index
  }
}
