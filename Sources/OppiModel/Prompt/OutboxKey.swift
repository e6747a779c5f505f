// SPDX-License-Identifier: MIT

package import OppiText

/// The key of a prompt in the outbox, also used as a file name: a prompt runs at most once per key.
package struct OutboxKey: Sendable, Hashable, Comparable, LosslessStringConvertible {
  /// In characters.
  package static let lengthLimit = 100
  /// The number of digits of the digest; prompts that share them are compared.
  private static let digestLength = 12

  /// A placeholder in records that are being read.
  static let blank = OutboxKey(made: "")

  package let text: String

  /// Accepts letters, digits and `._:@+-`, beginning with a letter or a digit; `nil` for others.
  package init?(_ text: some StringProtocol) {
    guard (1...Self.lengthLimit).contains(text.utf8.count),
      text.utf8.first?.isASCIIAlphanumeric == true,
      text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "._:@+-".utf8.contains($0) })
    else { return nil }
    self.text = String(text)
  }

  private init(made text: String) {
    self.text = text
  }

  /// Derives the same key each time from the destination and the content of a prompt.
  ///
  /// `number` distinguishes prompts with equal parts, counted from 1.
  package init(digestOf parts: [String], number: Int = 1) {
    var digest = FNVDigest()
    for part in parts {
      digest.add(part.utf8)
      // No UTF-8 text contains this byte, so it marks the end of a part.
      digest.add(CollectionOfOne(0xFF))
    }
    let suffix = number > 1 ? "-\(number)" : ""
    self.init(made: digest.hexadecimal.prefix(Self.digestLength) + suffix)
  }

  package var description: String { text }

  package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// The 128-bit FNV-1a digest (draft-eastlake-fnv): fast, and the same in every process.
///
/// It is not resistant to deliberate collisions.
struct FNVDigest: Sendable {
  private static let offset: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
  private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

  private var value = offset

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt128(byte)) &* Self.prime }
  }

  /// 32 hexadecimal digits.
  var hexadecimal: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}

extension JSONField<OutboxKey> {
  package static var outboxKey: JSONField { spelled({ $0.text }, { OutboxKey($0) }) }
}
