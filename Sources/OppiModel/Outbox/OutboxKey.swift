// SPDX-License-Identifier: MIT

/// What a prompt of the outbox is known by: under one key a prompt runs once at most.
///
/// It is the name of a file, too.
package struct OutboxKey: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The most characters.
  package static let lengthLimit = 100
  /// How much of a digest tells prompts apart; what shares it is compared.
  private static let digestLength = 12

  package let text: String

  /// Takes a key that somebody has chosen: letters, digits and `._:@+-`, beginning with a
  /// letter or a digit; `nil` for anything else.
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

  /// A key made of what is asked, the same each time.
  ///
  /// - Parameters:
  ///   - parts: What tells it from others: where it goes, what is said.
  ///   - number: Of several with the same parts, which one it is, from 1.
  package init(digestOf parts: [String], number: Int = 1) {
    var digest = FNVDigest()
    for part in parts {
      digest.add(part.utf8)
      // No text has this byte: where a part ends is a part of the digest.
      digest.add(CollectionOfOne(0xFF))
    }
    let suffix = number > 1 ? "-\(number)" : ""
    self.init(made: digest.hexadecimal.prefix(Self.digestLength) + suffix)
  }

  package var description: String { text }

  package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// The 128-bit FNV-1a digest (draft-eastlake-fnv): quick, and the same in every process.
///
/// It keeps apart what is different by chance, not what somebody makes alike.
struct FNVDigest: Sendable {
  private static let offset: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
  private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

  private var value = offset

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt128(byte)) &* Self.prime }
  }

  /// The digest in 32 digits.
  var hexadecimal: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}
