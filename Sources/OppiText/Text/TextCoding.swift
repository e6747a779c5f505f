// SPDX-License-Identifier: MIT

/// Base64 (RFC 4648) in the two alphabets of the protocol.
package enum Base64 {
  private static let standard = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
  private static let urlSafe = Array(standard.dropLast(2)) + Array("-_".utf8)

  /// Encodes with the standard alphabet and padding (section 4), for images in a prompt.
  package static func encode(_ bytes: [UInt8]) -> String {
    let text = encode(bytes, alphabet: standard)
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }

  /// Encodes with the URL alphabet and without padding (section 5), for invites and fingerprints.
  package static func encodeURL(_ bytes: [UInt8]) -> String {
    encode(bytes, alphabet: urlSafe)
  }

  /// Decodes either alphabet, with or without padding; `nil` if the text has any other character.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    decode(Array(text.utf8))
  }

  private static func decode(_ text: [UInt8]) -> [UInt8]? {
    let end = text.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end * 3 / 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for character in text[..<end] {
      guard let value = sextet(character) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    return bitCount == 6 ? nil : bytes
  }

  private static func encode(_ bytes: [UInt8], alphabet: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(alphabet[Int(bits >> bitCount & 63)])
      }
    }
    if bitCount > 0 { text.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func sextet(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

extension StringProtocol {
  /// Decodes percent-encoded bytes (RFC 3986, section 2.1); invalid sequences are kept.
  package func percentDecoded() -> String {
    var bytes: [UInt8] = []
    var rest = Substring(self)
    while let character = rest.popFirst() {
      let digits = rest.prefix(2)
      if character == "%", digits.count == 2, digits.allSatisfy(\.isHexDigit),
        let byte = UInt8(digits, radix: 16)
      {
        bytes.append(byte)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(contentsOf: character.utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension String {
  /// Encodes all but the unreserved characters (RFC 3986, section 2.3), for a query value.
  package var percentEncoded: String {
    utf8.reduce(into: "") { text, byte in
      if byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
