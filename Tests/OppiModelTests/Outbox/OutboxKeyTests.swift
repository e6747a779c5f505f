// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct OutboxKeyTests {
  @Test(
    "a key is a valid file name",
    arguments: ["a", "standup", "7", "nightly@2026-11-22T03:00", "a.b_c:d+e-f"]
  )
  func valid(text: String) { #expect(OutboxKey(text)?.text == text) }

  @Test(
    "any other text is rejected",
    arguments: ["", ".", "..", ".hidden", "-option", "a/b", "a b", "a\n", "\u{0}", "ä", "a%"]
  )
  func invalid(text: String) { #expect(OutboxKey(text) == nil) }

  @Test("a key has at most 100 characters")
  func length() {
    #expect(OutboxKey(String(repeating: "k", count: 100)) != nil)
    #expect(OutboxKey(String(repeating: "k", count: 101)) == nil)
  }

  @Test("a derived key depends on all its parts and on nothing else")
  func derived() {
    let key = OutboxKey(digestOf: ["server", "workspace", "do it"])
    #expect(key == OutboxKey(digestOf: ["server", "workspace", "do it"]))
    #expect(OutboxKey(key.text) == key)
    #expect(key != OutboxKey(digestOf: ["server", "workspace", "do it "]))
    #expect(key != OutboxKey(digestOf: ["serverw", "orkspace", "do it"]))
    #expect(OutboxKey(digestOf: ["x"], number: 2).text == OutboxKey(digestOf: ["x"]).text + "-2")
  }

  @Test(
    "the digest is FNV-1a with 128 bits",
    arguments: [
      ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
      ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
    ]
  )
  func digest(text: String, hexadecimal: String) {
    var digest = FNVDigest()
    digest.add(text.utf8)
    #expect(digest.hexadecimal == hexadecimal)
  }
}
