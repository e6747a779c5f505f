// SPDX-License-Identifier: MIT

import OppiModel

/// Typed bytes that are not yet keys: the last character may be incomplete.
struct TypedText: Sendable {
  private var bytes: [UInt8] = []

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Takes the complete characters and keeps an incomplete one.
  mutating func takeFinished() -> [Key] { take(bytes.count - unfinishedCount) }

  /// Takes all bytes, including an incomplete character.
  mutating func takeAll() -> [Key] { take(bytes.count) }

  private mutating func take(_ count: Int) -> [Key] {
    guard count > 0 else { return [] }
    let scalars = String(decoding: bytes[..<count], as: UTF8.self).unicodeScalars
    bytes.removeFirst(count)
    let text = String(String.UnicodeScalarView(scalars.filter(\.isTypeable)))
    return text.isEmpty ? [] : [.text(text)]
  }

  /// The number of bytes at the end that begin an incomplete character (RFC 3629, section 4).
  private var unfinishedCount: Int {
    guard let first = bytes.suffix(3).lastIndex(where: { !(0x80...0xBF).contains($0) }) else {
      return 0
    }
    let count = bytes.count - first
    let length =
      switch bytes[first] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    return count < length ? count : 0
  }
}
