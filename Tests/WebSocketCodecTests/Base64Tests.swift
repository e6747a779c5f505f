// SPDX-License-Identifier: MIT

import Testing

@testable import WebSocketCodec

@Suite("Base64")
struct Base64Tests {
  @Test(
    "the texts of RFC 4648 section 10 encode as listed there",
    arguments: zip(
      ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
      ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]
    )
  )
  func vectors(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
  }

  @Test("bytes with high bits use the last letters of the alphabet")
  func highBits() {
    #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
  }
}
