// SPDX-License-Identifier: MIT

/// The hash function of the opening handshake (FIPS 180-4, RFC 3174).
///
/// It provides no security there; it only proves that the server received the key.
enum SHA1 {
  static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    let blockEnd = (padded.count + 8 + 63) / 64 * 64
    padded += Array(repeating: 0, count: blockEnd - 8 - padded.count)
    padded += (UInt64(message.count) * 8).bigEndianBytes

    var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) {
      mix(padded[start..<start + 64], into: &hash)
    }
    return hash.flatMap(\.bigEndianBytes)
  }

  private static func mix(_ block: ArraySlice<UInt8>, into hash: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
      UInt32(bigEndianBytes: block[start..<start + 4])
    }
    for index in 16..<80 {
      let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append(rotate(word, by: 1))
    }
    var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
    for (index, word) in words.enumerated() {
      let (choice, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(a, by: 5) &+ choice &+ e &+ constant &+ word
      (a, b, c, d, e) = (next, a, rotate(b, by: 30), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { hash[index] &+= value }
  }

  private static func rotate(_ word: UInt32, by bits: Int) -> UInt32 {
    word << bits | word >> (32 - bits)
  }
}
