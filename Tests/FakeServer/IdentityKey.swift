// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTransport

/// The Ed25519 key that identifies a server, and signs its invites.
package struct IdentityKey: Sendable {
  private let library: LibCrypto
  private let seed: [UInt8]
  private let publicKey: [UInt8]

  /// Makes the key of 32 random bytes.
  package init(seed: [UInt8]) throws(CryptoError) {
    library = try LibCrypto()
    self.seed = seed
    publicKey = try CryptoKey.ed25519(seed: seed, using: library).ed25519PublicKey()
  }

  package var fingerprint: Fingerprint { Fingerprint(digest: SHA256.digest(publicKey)) }

  /// Returns the signed form of an invite.
  package func seal(_ invite: JSONValue) throws(CryptoError) -> JSONValue {
    let payload = Array(invite.text().utf8)
    let signature = try CryptoKey.ed25519(seed: seed, using: library).signEd25519(payload)
    return [
      "v": 3, "signedPayload": .string(Base64.encodeURL(payload)),
      "publicKey": .string(Base64.encodeURL(publicKey)),
      "signature": .string(Base64.encodeURL(signature)),
    ]
  }
}
