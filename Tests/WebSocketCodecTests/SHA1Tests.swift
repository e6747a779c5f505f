// SPDX-License-Identifier: MIT

import Testing

@testable import WebSocketCodec

@Suite("SHA-1")
struct SHA1Tests {
  struct Vector: Identifiable, Sendable {
    let id: String
    let message: String
    let digest: String
  }

  @Test(
    "the messages of RFC 3174 have the digests of RFC 3174",
    arguments: [
      Vector(id: "empty", message: "", digest: "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      Vector(id: "abc", message: "abc", digest: "a9993e364706816aba3e25717850c26c9cd0d89d"),
      Vector(
        id: "two blocks",
        message: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        digest: "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
      ),
      Vector(
        id: "ten blocks",
        message: String(repeating: "01234567", count: 80),
        digest: "dea356a2cddd90c7a7ecedc5ebb563934f460452"
      ),
      Vector(
        id: "padding that just fits",
        message: String(repeating: "a", count: 55),
        digest: "c1c8bbdc22796e28c0e15163d20899b65621d65a"
      ),
      Vector(
        id: "padding that needs one more block",
        message: String(repeating: "a", count: 56),
        digest: "c2db330f6083854c99d4b5bfb6e8f29f201be699"
      ),
      Vector(
        id: "100,000 times a",
        message: String(repeating: "a", count: 100_000),
        digest: "c4d4b30851182fc4eb8675494d42fd7f17e29c93"
      ),
    ]
  )
  func vectors(vector: Vector) {
    let digest = SHA1.digest(Array(vector.message.utf8))
    let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hex == vector.digest)
  }
}
