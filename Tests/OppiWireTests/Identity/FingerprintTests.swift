// SPDX-License-Identifier: MIT

import Testing

@testable import OppiWire

let sampleFingerprint = "sha256:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X-H7Q"

@Suite struct FingerprintTests {
  @Test("a valid fingerprint keeps its text")
  func accepts() {
    #expect(Fingerprint(sampleFingerprint)?.text == sampleFingerprint)
  }

  @Test(
    "any other text is rejected",
    arguments: [
      "sha256:short", "SHA256:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X-H7Q",
      sampleFingerprint + "=", sampleFingerprint + "A",
      "sha1:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X",
    ] + (0..<50).map { String(sampleFingerprint.prefix($0)) }
  )
  func refuses(text: String) {
    #expect(Fingerprint(text) == nil)
  }

  @Test("a digest has one spelling")
  func digest() {
    let fingerprint = Fingerprint(digest: [UInt8](repeating: 0xFF, count: 32))
    #expect(fingerprint.text == "sha256:__________________________________________8")
    // The two spare bits of the last character are not significant.
    #expect(Fingerprint("sha256:__________________________________________9") == fingerprint)
  }

  @Test("fingerprints that differ in one bit are different", arguments: 0..<256)
  func oneBit(bit: Int) throws {
    var digest = (0..<32).map { UInt8($0 * 7) }
    let fingerprint = Fingerprint(digest: digest)
    digest[bit / 8] ^= 1 << (bit % 8)
    let other = Fingerprint(digest: digest)
    #expect(fingerprint != other && fingerprint.text != other.text)
    #expect(Set([fingerprint, other]).count == 2)
    #expect(Fingerprint(other.text) == other)
  }
}

@Suite struct SHA256Tests {
  @Test(
    "the examples of FIPS 180-4 and NIST have the published hashes",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
  )
  func examples(message: String, hash: String) {
    #expect(SHA256.hex(of: Array(message.utf8)) == hash)
  }

  @Test("padding is correct at every length around a block")
  func padding() {
    let hashes = (54...66).map { SHA256.hex(of: [UInt8](repeating: 0x61, count: $0)) }
    #expect(Set(hashes).count == 13)
    #expect(hashes[1] == "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318")
    #expect(hashes[10] == "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb")
  }
}
