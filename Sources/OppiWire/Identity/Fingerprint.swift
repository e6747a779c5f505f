// SPDX-License-Identifier: MIT

package import OppiText

/// A SHA-256 fingerprint in the protocol's format: `sha256:` and 43 characters of base64url.
///
/// It identifies a server (the hash of its identity key) or pins a certificate (the hash of the
/// leaf).
package struct Fingerprint: Sendable, Hashable {
  package static let prefix = "sha256:"

  /// A placeholder in records that are being read.
  package static let blank = Fingerprint(digest: [UInt8](repeating: 0, count: 32))

  /// The whole text, including the prefix.
  package let text: String

  /// Fails for any other format.
  package init?(_ text: some StringProtocol) {
    guard text.hasPrefix(Self.prefix),
      let digest = Base64.decode(text.dropFirst(Self.prefix.count)),
      digest.count == 32,
      text.utf8.count == Self.prefix.utf8.count + 43
    else { return nil }
    // Normalises the alphabet and the unused bits, so that each digest has one text.
    self.text = Self.prefix + Base64.encodeURL(digest)
  }

  /// `digest` must have 32 bytes.
  package init(digest: [UInt8]) {
    precondition(digest.count == 32, "a SHA-256 digest has 32 bytes")
    text = Self.prefix + Base64.encodeURL(digest)
  }
}

extension Fingerprint: CustomStringConvertible {
  package var description: String { text }
}

/// SHA-256 (FIPS 180-4, section 6.2), used to identify files and keys.
package enum SHA256 {
  /// The fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2).
  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]

  /// Returns the hash as 64 hexadecimal digits.
  package static func hex(of message: [UInt8]) -> String {
    digest(message).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    .joined()
  }

  /// Returns the hash as 32 bytes.
  package static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    padded += Array(repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += bytes(of: UInt64(message.count) * 8)
    var hash: [UInt32] = [
      0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
      0x5BE0_CD19,
    ]
    for start in stride(from: 0, to: padded.count, by: 64) {
      mix(padded[start..<start + 64], into: &hash)
    }
    return hash.flatMap(bytes)
  }

  private static func mix(_ block: ArraySlice<UInt8>, into hash: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
      block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let first = rotate(early, by: 7) ^ rotate(early, by: 18) ^ early >> 3
      let second = rotate(late, by: 17) ^ rotate(late, by: 19) ^ late >> 10
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
    var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
    for (word, constant) in zip(words, constants) {
      let choice = e & f ^ ~e & g
      let majority = a & b ^ a & c ^ b & c
      let first = rotate(e, by: 6) ^ rotate(e, by: 11) ^ rotate(e, by: 25)
      let second = rotate(a, by: 2) ^ rotate(a, by: 13) ^ rotate(a, by: 22)
      let sum = h &+ first &+ choice &+ constant &+ word
      (e, f, g, h) = (d &+ sum, e, f, g)
      (a, b, c, d) = (sum &+ second &+ majority, a, b, c)
    }
    for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { hash[index] &+= value }
  }

  private static func rotate(_ word: UInt32, by bits: Int) -> UInt32 {
    word >> bits | word << (32 - bits)
  }

  private static func bytes(of value: some FixedWidthInteger) -> [UInt8] {
    stride(from: value.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: value >> $0)
    }
  }
}

extension JSONField<Fingerprint> {
  package static var fingerprint: JSONField { spelled({ $0.text }, { Fingerprint($0) }) }
}
