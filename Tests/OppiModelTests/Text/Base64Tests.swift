// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct Base64Tests {
  @Test(
    "the examples of RFC 4648 section 10 are encoded and decoded",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]
  )
  func examples(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(text.utf8))
    #expect(Base64.encodeURL(Array(text.utf8)) == encoded.replacing("=", with: ""))
  }

  @Test("both alphabets are decoded")
  func alphabets() {
    #expect(Base64.encodeURL([0xFB, 0xFF]) == "-_8")
    #expect(Base64.decode("-_8") == [0xFB, 0xFF])
    #expect(Base64.decode("+/8=") == [0xFB, 0xFF])
  }

  @Test(
    "other characters and impossible lengths are rejected",
    arguments: ["a", "a b=", "Zg=x", "é"]
  )
  func refuses(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
