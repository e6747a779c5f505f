// SPDX-License-Identifier: MIT

import OppiTransport
import OppiWire
import Testing

@Suite struct CryptoKeyTests {
  private let library: LibCrypto

  init() throws {
    library = try LibCrypto()
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap { start in
      UInt8(String(digits[start...start + 1]), radix: 16)
    }
  }

  // MARK: - P-256

  /// The key of RFC 6979, section A.2.5.
  private func sampleKey() throws -> CryptoKey {
    let key = DevicePublicKey(
      x: Self.bytes("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"),
      y: Self.bytes("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299")
    )
    return try .p256(#require(key), using: library)
  }

  @Test("the signature of RFC 6979, section A.2.5 is verified, and no other")
  func knownSignature() throws {
    var bytes = Self.bytes(
      "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
        + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
    )
    let signature = try #require(ECDSASignature(concatenated: bytes))
    let key = try sampleKey()
    #expect(key.verifiesP256(signature, of: Array("sample".utf8)))
    #expect(!key.verifiesP256(signature, of: Array("samplf".utf8)))
    bytes[63] ^= 1
    let other = try #require(ECDSASignature(concatenated: bytes))
    #expect(!key.verifiesP256(other, of: Array("sample".utf8)))
  }

  @Test("a new key signs what its public key verifies")
  func roundTrip() throws {
    let message = Array("oppi:refresh:v1.nonce".utf8)
    let key = try CryptoKey.generateP256(using: library)
    let signature = try key.signP256(message)
    let published = try CryptoKey.p256(#require(key.p256), using: library)
    #expect(published.verifiesP256(signature, of: message))
    #expect(try !sampleKey().verifiesP256(signature, of: message))
  }

  @Test("a key is read from its stored form")
  func stored() throws {
    let key = try CryptoKey.generateP256(using: library)
    let again = try CryptoKey.p256(privateDER: key.privateDER(), using: library)
    #expect(again.p256 == key.p256)
    #expect(try key.verifiesP256(again.signP256([1]), of: [1]))
  }

  @Test("two new keys differ")
  func random() throws {
    let (one, two) = try (
      CryptoKey.generateP256(using: library), CryptoKey.generateP256(using: library)
    )
    #expect(one.p256 != two.p256)
  }

  @Test("a point that is not on the curve is rejected")
  func offCurve() throws {
    let one = [UInt8](repeating: 1, count: 32)
    let key = try #require(DevicePublicKey(x: one, y: one))
    #expect(throws: CryptoError.failed) { try CryptoKey.p256(key, using: library) }
  }

  @Test(
    "bytes that are not a private key with P-256 are rejected",
    arguments: [[], [0x30, 0], [1]]
  )
  func notAKey(bytes: [UInt8]) {
    #expect(throws: CryptoError.failed) {
      try CryptoKey.p256(privateDER: bytes, using: library)
    }
  }

  @Test("a private key of another kind is rejected")
  func otherKind() throws {
    let key = try CryptoKey.ed25519(seed: [UInt8](repeating: 7, count: 32), using: library)
    let der = try key.privateDER()
    #expect(throws: CryptoError.failed) { try CryptoKey.p256(privateDER: der, using: library) }
  }

  // MARK: - Ed25519

  @Test("the signature of RFC 8032, section 7.1, test 2 is made and verified")
  func knownEd25519() throws {
    let seed = Self.bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    let publicKey = Self.bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    let signature = Self.bytes(
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    let signer = try CryptoKey.ed25519(seed: seed, using: library)
    #expect(try signer.ed25519PublicKey() == publicKey)
    #expect(try signer.sign([0x72]) == signature)
    let key = try CryptoKey.ed25519(publicKey: publicKey, using: library)
    #expect(key.verifies(signature, of: [0x72]))
    #expect(!key.verifies(signature, of: [0x73]))
    #expect(!key.verifies(Array(signature.dropLast()), of: [0x72]))
    #expect(!key.verifies([], of: [0x72]))
  }

  @Test("a public key of a wrong size is rejected", arguments: [0, 31, 33])
  func wrongSize(count: Int) {
    #expect(throws: CryptoError.failed) {
      try CryptoKey.ed25519(publicKey: [UInt8](repeating: 1, count: count), using: library)
    }
  }
}
