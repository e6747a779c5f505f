// SPDX-License-Identifier: MIT

import OppiModel
import Testing

let sampleFingerprint = "sha256:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X-H7Q"

@Suite struct FingerprintTests {
  @Test("a valid fingerprint keeps its text")
  func accepts() {
    #expect(Fingerprint(sampleFingerprint)?.text == sampleFingerprint)
  }

  @Test(
    "any other text is rejected",
    arguments: [
      "", "sha256:", "sha256:short", "SHA256:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X-H7Q",
      sampleFingerprint + "=", sampleFingerprint + "A",
      "sha1:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X",
    ]
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

  @Test("a truncated fingerprint is rejected", arguments: 0..<50)
  func cut(length: Int) {
    #expect(Fingerprint(sampleFingerprint.prefix(length)) == nil)
  }
}
