// SPDX-License-Identifier: MIT

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
